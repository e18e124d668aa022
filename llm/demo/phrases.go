package demo

// What the stand-in says to simple requests.
var (
	leadText = phrase{
		"*A script answers here, not a model.* ",
		"*C'est un script qui répond ici, pas un modèle.* ",
	}

	helloText = phrase{
		"Hello! Say `tour` and I show you around, or `help` for what else I understand.",
		"Bonjour ! Dites `visite` et je vous montre tout, ou `aide` pour le reste.",
	}
	helpText = phrase{
		"I understand a few plain requests and carry them out with the real tools:\n\n" +
			"- `tour`: a guided tour of a minute or two\n" +
			"- `list files in FOLDER`\n" +
			"- `read FILE`\n" +
			"- `create FILE with TEXT`\n" +
			"- `replace OLD by NEW in FILE`\n" +
			"- `run COMMAND`\n\n" +
			"The same works in French. Quote what holds spaces.",
		"Je comprends quelques demandes simples et je les exécute avec les vrais outils :\n\n" +
			"- `visite` : une visite guidée d'une ou deux minutes\n" +
			"- `liste les fichiers de DOSSIER`\n" +
			"- `lis FICHIER`\n" +
			"- `crée FICHIER avec TEXTE`\n" +
			"- `remplace ANCIEN par NOUVEAU dans FICHIER`\n" +
			"- `lance COMMANDE`\n\n" +
			"Les mêmes demandes marchent en anglais. Mettez entre guillemets ce qui contient des espaces.",
	}
	unclearText = phrase{
		"I did not understand that, and a script cannot guess. Say `tour` for a guided tour, or `help` for the requests that I know.",
		"Je n'ai pas compris, et un script ne devine pas. Dites `visite` pour une visite guidée, ou `aide` pour les demandes que je connais.",
	}
	noToolsText = phrase{
		"No tool may be used here, and without tools a script has nothing to show.",
		"Aucun outil n'est permis ici, et sans outils un script n'a rien à montrer.",
	}
	noToolText = phrase{
		"That needs the tool `%s`, which is turned off.",
		"Il faut pour cela l'outil `%s`, qui est désactivé.",
	}
	stuckText = phrase{
		"I stop here: these calls lead nowhere. Say `help` for the requests that I know.",
		"Je m'arrête ici : ces appels ne mènent à rien. Dites `aide` pour les demandes que je connais.",
	}

	rejectedText = phrase{
		"You said no, so nothing was done. Ask for something else, or say `tour`.",
		"Vous avez refusé, rien n'a été fait. Demandez autre chose, ou dites `visite`.",
	}
	existsText = phrase{
		"`%[1]s` exists, so I left it alone. Say `read %[1]s`, then ask again to replace it.",
		"`%[1]s` existe, je n'y ai donc pas touché. Dites `lis %[1]s`, puis redemandez pour le remplacer.",
	}
	refusedText = phrase{
		"That was not allowed:\n\n> %s",
		"Ce n'était pas permis :\n\n> %s",
	}
	failedText = phrase{
		"That did not work:\n\n> %s\n\nA model would read this and try in another way; a script stops.",
		"Cela n'a pas marché :\n\n> %s\n\nUn modèle lirait ceci et essaierait autrement ; un script s'arrête.",
	}

	listText      = phrase{"I list the files of `%s`.", "Je liste les fichiers de `%s`."}
	doneListText  = phrase{"These are the files of `%s`. Try `read FILE`.", "Voilà les fichiers de `%s`. Essayez `lis FICHIER`."}
	readText      = phrase{"I read `%s`.", "Je lis `%s`."}
	doneReadText  = phrase{"That was `%s`. A model would go on from here.", "C'était `%s`. Un modèle continuerait à partir de là."}
	createText    = phrase{"I write `%s`. You see its content before you decide.", "J'écris `%s`. Vous voyez son contenu avant de décider."}
	createdText   = phrase{"`%s` is written; `/undo` takes it back.", "`%s` est écrit ; `/undo` l'annule."}
	replaceText   = phrase{"I read `%s` first: an edit needs the exact text of the file.", "Je lis d'abord `%s` : une modification demande le texte exact du fichier."}
	editText      = phrase{"Now the edit.", "Puis la modification."}
	linesText     = phrase{"That text stands in several places, so I name each whole line.", "Ce texte est à plusieurs endroits, je donne donc chaque ligne entière."}
	replacedText  = phrase{"`%s` is changed, as the diff shows; `/undo` takes it back.", "`%s` est modifié, comme le montre le diff ; `/undo` l'annule."}
	runText       = phrase{"I run the command.", "Je lance la commande."}
	ranText       = phrase{"The command ended well.", "La commande a réussi."}
	ranBadlyText  = phrase{"The command ended with exit code %s. Its output says why.", "La commande a rendu le code %s. Sa sortie dit pourquoi."}
	skillText     = phrase{"I load the skill `%s`.", "Je charge la procédure `%s`."}
	doneSkillText = phrase{"A model would carry out the steps of `%s` now; a script cannot.", "Un modèle suivrait maintenant les étapes de `%s` ; un script ne le peut pas."}
)
