package demo

// What the stand-in says on the tour.
var (
	tourStartText = phrase{
		"It does a small task as a model would. First it needs files in `mm-demo/`: " +
			"**nothing is written before you allow it** (unless you chose a mode that does not ask), and you see what.",
		"Il fait un petit travail comme le ferait un modèle. Il lui faut d'abord des fichiers dans `mm-demo/` : " +
			"**rien n'est écrit sans votre accord** (sauf dans un mode qui ne demande pas), et vous voyez quoi.",
	}
	tourSecondText = phrase{
		"Next comes a test for it. *Always allow* would spare you further questions of this kind.",
		"Puis un test. *Toujours autoriser* vous épargnerait les questions suivantes de ce genre.",
	}
	tourExistsText = phrase{
		"`%s` is there from an earlier tour, and `mm` lets no model overwrite a file that it has not read. So I read it.",
		"`%s` reste d'une visite précédente, et `mm` ne laisse aucun modèle écraser un fichier qu'il n'a pas lu. Je le lis donc.",
	}
	tourOverText = phrase{
		"Now I may write it afresh.",
		"Maintenant je peux le réécrire.",
	}
	tourNoWriteText = phrase{
		"You said no, and nothing was written: a model is told so and has to find another way. " +
			"The tour needs its files, though; say `tour` to start again.",
		"Vous avez refusé, et rien n'a été écrit : un modèle l'apprend et doit faire autrement. " +
			"Mais la visite a besoin de ses fichiers ; dites `visite` pour recommencer.",
	}
	tourRunText = phrase{
		"I run the test. You see its output as it comes, and before a model reads it.",
		"Je lance le test. Vous voyez sa sortie au fur et à mesure, et avant que le modèle la lise.",
	}

	tourThinkText = phrase{
		"The test wants \"Hello, world!\". The greeting is made in greet.sh, so the mistake must be there. " +
			"I should read that file before I change anything: a line that I type from memory may not be the line in the file.",
		"Le test attend « Hello, world! ». Le message est fait dans greet.sh, la faute doit donc s'y trouver. " +
			"Il faut lire ce fichier avant d'y toucher : une ligne tapée de mémoire n'est peut-être pas celle du fichier.",
	}
	tourFailedText = phrase{
		"The test fails with exit code %s.",
		"Le test échoue avec le code %s.",
	}
	tourRanText = phrase{
		"The test ran.",
		"Le test a tourné.",
	}
	tourNotRunText = phrase{
		"The test did not run, and the tour goes on without it.",
		"Le test n'a pas tourné, et la visite continue sans lui.",
	}
	tourNoBashText = phrase{
		"Commands are turned off here, so the test stays as it is.",
		"Les commandes sont désactivées ici, le test reste donc là.",
	}
	tourReadText = phrase{
		"Before these words you saw **reasoning**: it is shown, and it never fills the context. Now I read the file.",
		"Avant ces mots, vous avez vu du **raisonnement** : il est montré, et n'occupe jamais le contexte. Je lis maintenant le fichier.",
	}

	tourWrongText = phrase{
		"Small models like to type a block from memory. I do so on purpose: this edit names a line that is not in the file.",
		"Les petits modèles tapent volontiers un bloc de mémoire. Je le fais exprès : cette modification cite une ligne qui n'est pas dans le fichier.",
	}
	tourRepairText = phrase{
		"**Refused, and nothing was written.** The answer shows the nearest lines of the file, so I copy the line from there and try again.",
		"**Refusé, et rien n'a été écrit.** La réponse montre les lignes les plus proches du fichier ; j'y copie la ligne et je recommence.",
	}
	tourRetryText = phrase{
		"That edit could not have matched anyway. This one does.",
		"Cette modification n'aurait de toute façon rien trouvé. Celle-ci trouve.",
	}
	tourNoEditText = phrase{
		"You said no, so the file stays as it was, and the tour ends here. Say `tour` to start again, or `help` for what else I understand.",
		"Vous avez refusé, le fichier reste donc tel quel, et la visite s'arrête ici. Dites `visite` pour recommencer, ou `aide` pour le reste.",
	}
	tourAgainText = phrase{
		"The edit is done, exactly as the diff showed it. The same test again:",
		"La modification est faite, exactement comme le diff la montrait. Le même test encore :",
	}
	tourPassesText = phrase{
		"**The test passes.**",
		"**Le test passe.**",
	}
	tourFailsText = phrase{
		"The test still ends with exit code %s; its output says why.",
		"Le test rend encore le code %s ; sa sortie dit pourquoi.",
	}

	tourEndText = phrase{
		"That was the tour. You have seen:\n\n" +
			"1. a permission, asked with the diff or the command in view\n" +
			"2. output before any comment on it\n" +
			"3. reasoning, apart from the answer\n" +
			"4. a wrong edit that changed nothing, and its repair\n\n" +
			"The gauge tells how full the context window is, and while a prompt is read, how far. Try yourself:\n\n" +
			"```text\n" +
			"list files in mm-demo\n" +
			"replace Hello by Bonjour in mm-demo/greet.sh\n" +
			"run sh mm-demo/test.sh\n" +
			"```\n\n" +
			"`/undo` takes back the files of the last answer. For real work start a model server, " +
			"for instance `llama-server -m MODEL.gguf --jinja`; `mm doctor` checks it.",
		"C'était la visite. Vous avez vu :\n\n" +
			"1. une permission, demandée avec le diff ou la commande sous les yeux\n" +
			"2. la sortie, avant tout commentaire\n" +
			"3. le raisonnement, à part de la réponse\n" +
			"4. une modification fausse qui n'a rien changé, et sa réparation\n\n" +
			"La jauge dit combien la fenêtre de contexte est pleine et, pendant la lecture, où elle en est. Essayez vous-même :\n\n" +
			"```text\n" +
			"liste les fichiers de mm-demo\n" +
			"remplace Hello par Bonjour dans mm-demo/greet.sh\n" +
			"lance sh mm-demo/test.sh\n" +
			"```\n\n" +
			"`/undo` annule les fichiers de la dernière réponse. Pour travailler vraiment, lancez un serveur de modèle, " +
			"par exemple `llama-server -m MODEL.gguf --jinja` ; `mm doctor` le vérifie.",
	}
)
