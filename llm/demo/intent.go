package demo

import (
	"regexp"
	"strings"
	"sync"
)

// kind is what a user asks for.
type kind string

const (
	unclear kind = ""
	tour    kind = "tour"
	resume  kind = "resume"
	help    kind = "help"
	hello   kind = "hello"
	list    kind = "list"
	read    kind = "read"
	create  kind = "create"
	replace kind = "replace"
	run     kind = "run"
	skill   kind = "skill"
)

// intent is a request, understood.
type intent struct {
	kind     kind
	french   bool
	file     string
	old, new string // texts to replace and to write
	command  string
}

// pattern is one way to ask for something. Its named groups fill the intent.
type pattern struct {
	kind   kind
	french bool
	re     *regexp.Regexp
}

const (
	quoted = "`[^`]+`|\"[^\"]+\"|'[^']+'|«[^»]+»"
	fileRE = "(?P<file>" + quoted + `|\S+?)`
	oldRE  = "(?P<old>" + quoted + `|.+?)`
	newRE  = "(?P<new>" + quoted + `|.+?)`
	end    = `\s*[.!?…]*$`

	inDirEN = `(?:\s+(?:in|of|under|from)(?:\s+the)?(?:\s+(?:folder|directory))?\s+` + fileRE + `)?`
	inDirFR = `(?:\s+(?:de|dans|du|sous)(?:\s+(?:le|la|ce))?(?:\s+(?:dossier|répertoire))?\s+` + fileRE + `)?`
	aFileEN = `(?:(?:a|an|the)\s+)?(?:new\s+)?(?:file\s+)?(?:(?:called|named)\s+)?`
	aFileFR = `(?:(?:un|le)\s+)?(?:nouveau\s+)?(?:fichier\s+)?(?:(?:appelé|nommé)\s+)?`

	listFR   = `(?:liste|lister|listez|montre|montrer|montrez|affiche|afficher|affichez)(?:-moi)?`
	readFR   = `(?:lis|lire|lisez|montre|montrer|montrez|affiche|afficher|affichez|ouvre|ouvrir|ouvrez)(?:-moi)?`
	createFR = `(?:crée|cree|créer|creer|créez|écris|ecris|écrire|écrivez)(?:-moi)?`
	changeFR = `(?:remplace|remplacer|remplacez|change|changer|changez)`
	runFR    = `(?:lance|lancer|lancez|exécute|execute|exécuter|exécutez)`
)

// patterns in the order in which they are tried. They are compiled on use: the
// program's start would wait for them each time.
var patterns = sync.OnceValue(func() []pattern {
	return []pattern{
		english(skill, `^\[skill: (?P<file>\S+) `),

		english(tour, `^(?:(?:take|start|begin|do|play|give|show)\s+)?(?:me\s+)?(?:(?:the|a|on a)\s+)?(?:guided\s+)?(?:tour|demo)(?:\s+again)?`+end),
		english(tour, `^(?:yes|y|ok|okay|sure|go|start)`+end),
		french(tour, `^(?:(?:fais|faire|commence|montre|donne)(?:-moi)?\s+)?(?:(?:la|une)\s+)?(?:visite|démo|démonstration)(?:\s+guidée)?`+end),
		french(tour, `^(?:oui|d['’]accord|volontiers|vas-y|allons-y)`+end),
		english(resume, `^(?:go on|continue|resume|carry on|next)`+end),
		french(resume, `^(?:suite|la suite|continuer|continuez|reprends|reprendre)`+end),
		english(help, `^(?:help|\?|what can you do|what do you do|who are you)`+end),
		french(help, `^(?:aide|à l['’]aide|aide-moi|que (?:sais|peux)-tu faire|qui es-tu)`+end),
		english(hello, `^(?:hi|hello|hey)(?:\s+there)?`+end),
		french(hello, `^(?:bonjour|salut|bonsoir)`+end),

		english(list, `^(?:list|show|display)(?:\s+me)?(?:\s+all)?(?:\s+(?:the|your|my))?\s+(?:files|contents|folder|directory)`+inDirEN+`(?:\s+here)?`+end),
		english(list, `^(?:what|which)\s+files\s+(?:are|do you see)(?:\s+(?:there|here))?`+inDirEN+end),
		french(list, `^`+listFR+`(?:\s+(?:tous|toutes))?(?:\s+(?:les|mes|des))?\s+fichiers`+inDirFR+`(?:\s+ici)?`+end),
		french(list, `^quels\s+(?:sont\s+les\s+)?fichiers(?:\s+(?:y a-t-il|sont là))?`+inDirFR+end),
		english(list, `^(?:ls|dir|list)(?:\s+`+fileRE+`)?`+end),

		english(replace, `^(?:replace|change|rename|substitute)\s+`+oldRE+`\s+(?:by|with|to|into)\s+`+newRE+`\s+in\s+(?:the\s+)?(?:file\s+)?`+fileRE+end),
		french(replace, `^`+changeFR+`\s+`+oldRE+`\s+(?:par|en)\s+`+newRE+`\s+dans\s+(?:le\s+)?(?:fichier\s+)?`+fileRE+end),

		english(create, `^(?:create|write|make)\s+`+aFileEN+fileRE+`\s+(?:with|containing|that contains|that says)(?:\s+the)?(?:\s+(?:text|content|contents|words?))?\s*:?\s+(?P<new>.+)$`),
		french(create, `^`+createFR+`\s+`+aFileFR+fileRE+`\s+(?:avec|contenant|qui contient|qui dit)(?:\s+(?:le|les))?(?:\s+(?:texte|contenu|mots?))?\s*:?\s+(?P<new>.+)$`),

		english(run, `^(?:run|execute|launch)(?:\s+the\s+command)?\s*:?\s+(?P<command>`+quoted+`|.+)$`),
		french(run, `^`+runFR+`(?:\s+la\s+commande)?\s*:?\s+(?P<command>`+quoted+`|.+)$`),
		english(run, `^\$\s+(?P<command>.+)$`),

		english(read, `^(?:read|show|open|cat|display|print)(?:\s+me)?(?:\s+the)?(?:\s+(?:file|contents?(?:\s+of)?))?\s+`+fileRE+end),
		english(read, `^what(?:['’]s|\s+is)\s+in\s+(?:the\s+file\s+)?`+fileRE+end),
		french(read, `^`+readFR+`(?:\s+le)?(?:\s+(?:fichier|contenu\s+de))?\s+`+fileRE+end),
		french(read, `^(?:que contient|qu['’]y a-t-il dans)\s+(?:le\s+fichier\s+)?`+fileRE+end),
	}
})

func english(k kind, re string) pattern { return pattern{k, false, regexp.MustCompile(`(?is)` + re)} }

func french(k kind, re string) pattern { return pattern{k, true, regexp.MustCompile(`(?is)` + re)} }

// polite matches what may stand before a request, and after a short one.
var (
	politeBefore = regexp.MustCompile(`(?i)^(?:please|now|then|and|so|ok|hey|hi|hello|can you|could you|would you|will you|bonjour|salut|maintenant|puis|ensuite|peux-tu|pourrais-tu|tu peux|s['’]il te pla[iî]t|stp|svp)[\s,]+`)
	politeAfter  = regexp.MustCompile(`(?i)[\s,]+(?:please|thanks|thank you|now|s['’]il te pla[iî]t|stp|svp|merci)\s*[.!?]*$`)
)

// understand finds out what a message asks for.
func understand(text string) intent {
	words := ownWords(text)
	for {
		rest := politeBefore.ReplaceAllString(words, "")
		if rest == words || rest == "" {
			break
		}
		words = rest
	}
	short := politeAfter.ReplaceAllString(words, "")
	for _, p := range patterns() {
		in := short
		if p.kind == create || p.kind == run || short == "" {
			in = words // what follows is the user's text
		}
		m := p.re.FindStringSubmatch(in)
		if m == nil {
			continue
		}
		if i := p.fill(m); i.valid() {
			return i
		}
	}
	return intent{french: soundsFrench(words)}
}

func (p pattern) fill(m []string) intent {
	i := intent{kind: p.kind, french: p.french}
	for g, name := range p.re.SubexpNames() {
		switch name {
		case "file":
			i.file = strings.TrimPrefix(unquote(m[g]), "@")
		case "old":
			i.old = unquote(m[g])
		case "new":
			i.new = unquote(m[g])
		case "command":
			i.command = unquote(m[g])
		}
	}
	return i
}

// valid tells a request from a sentence that only looks like one: "read the
// manual" names no file, "run the tests" no command.
func (i intent) valid() bool {
	switch i.kind {
	case read:
		return strings.ContainsAny(i.file, "./\\_~-") || i.file != strings.ToLower(i.file)
	case run:
		first, _, _ := strings.Cut(i.command, " ")
		return !article.MatchString(first)
	}
	return true
}

var article = regexp.MustCompile(`(?i)^(?:the|a|an|my|your|all|this|that|it|le|la|les|un|une|mon|ma|mes|tous|ce|cette)$`)

// ownWords is what the user typed: without the notes that the caller adds in
// brackets, and without what an earlier part of the same message quotes.
func ownWords(text string) string {
	text = strings.TrimSpace(text)
	for _, note := range []string{"[the user ", "[summary of "} {
		if strings.HasPrefix(text, note) {
			if i := strings.LastIndex(text, "\n\n"); i >= 0 {
				text = text[i+2:]
			}
		}
	}
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "[attached ") {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, ""))
}

// unquote takes the quotes off a text that is quoted as a whole.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range []struct{ open, close string }{{"`", "`"}, {`"`, `"`}, {"'", "'"}, {"«", "»"}} {
		inner, ok := strings.CutPrefix(s, q.open)
		if !ok {
			continue
		}
		if inner, ok = strings.CutSuffix(inner, q.close); ok && inner != "" && !strings.Contains(inner, q.open) {
			if q.open == "«" {
				inner = strings.Trim(inner, " \u00a0\u202f")
			}
			return inner
		}
	}
	return s
}

// frenchWords tell a French sentence that no pattern knows.
var frenchWords = regexp.MustCompile(`(?i)(?:^|[\s'’,;])(?:le|la|les|des|du|une?|est|et|dans|pour|avec|que|quoi|pourquoi|comment|je|tu|il|nous|vous|mon|ton|ce|cette|merci|[cdjlmnst]['’]\S+|\S*[éèêàçùœ]\S*)(?:[\s,.;:!?]|$)`)

func soundsFrench(s string) bool { return frenchWords.MatchString(s) }
