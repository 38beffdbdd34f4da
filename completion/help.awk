# SPDX-License-Identifier: MIT
#
# help.awk - reads the text of dwell --help or dwell VERB --help, and prints a line for each possible next word, of
# three columns separated by tabs:
#
#	NAMES	VALUES	DESCRIPTION
#
# NAMES is a verb, the names of an option, or "=" for other arguments. VALUES is the list of values of an option,
# if the text has them as "a|b|c", lists them as "a, b or c" or, as "one of the formats below", in a part of its own; otherwise
#
#	-	no value
#	?	any value
#	@files	@pids	@command	a command takes the remaining words as its arguments
#	@functions	functions of the recording, in verbs that read one
#
# Other arguments may also be "@pids a b": a process, then one of these words.
#
# The scripts of the shells contain it between single quotes, so it must not contain any.

function flush_option() {
	if (names != "" && description ~ /^one of the formats below/) {
		below_names = names
		below_description = description
	} else if (names != "")
		print names "\t" (values == "" ? "?" : values) "\t" description
	names = ""
}

# Returns "samples: self, total or name [self]" as words, without the default; nothing for any other text.
function list_of(text) {
	sub(/^[a-z]+: /, "", text)
	sub(/ \[[^]]*\]$/, "", text)
	if (text !~ /^[a-z0-9_-]+(, [a-z0-9_-]+)* or [a-z0-9_-]+$/)
		return ""
	gsub(/, | or /, " ", text)
	return text
}

function add_list(text) {
	text = list_of(text)
	if (values !~ /^[-@]/ && is_open && text != "")
		values = (values == "" ? "" : values " ") text
}

# Returns VALUES for the word behind an option.
function kind_of(value) {
	is_open = 0
	if (value == "")
		return "-"
	# In other verbs, a PID selects processes of a recording, which need not be running.
	if (value ~ /^PID/ && names ~ /^-p/)
		return "@pids"
	if (value ~ /^(DATA|FILE|OUTPUT)/)
		return "@files"
	if (value ~ /^SPEC/ && takes != "@command")
		return "@functions"
	if (value ~ /^[a-z0-9_-]+([|][a-z0-9_-]+)+$/) {
		gsub(/[|]/, " ", value)
		return value
	}
	is_open = 1
	return ""
}

/^usage:/ { in_usage = 1 }
/^$/ { in_usage = 0; in_verbs = 0; in_formats = 0; flush_option() }
/^verbs:/ { in_verbs = 1; next }
/^formats:/ { in_formats = 1; next }
in_formats { formats = formats (formats == "" ? "" : " ") $1 }

in_usage && /COMMAND/ { takes = "@command" }
in_usage && takes == "" && / FUNCTION / { takes = "@functions" }
in_usage && takes == "" && /(DATA|FILE|OLD)/ { takes = "@files" }
in_usage && / PID [a-z]+([|][a-z]+)+$/ {
	takes = $NF
	gsub(/[|]/, " ", takes)
	takes = "@pids " takes
}

in_verbs && /^  [a-z]/ {
	verb = $1
	sub(/^ +[^ ]+ +/, "")
	print verb "\t-\t" $0
	next
}

/^ +(-[A-Za-z0-9], )?--[a-z]/ {
	flush_option()
	line = $0
	sub(/^ +/, "", line)
	description = ""
	if (match(line, /  +/)) {
		description = substr(line, RSTART + RLENGTH)
		line = substr(line, 1, RSTART - 1)
	}
	# An optional value must be part of the same word.
	sub(/\[=[A-Z]+\]/, "", line)
	count = split(line, parts, /,? /)
	names = parts[1]
	value = ""
	for (i = 2; i <= count; i++) {
		if (parts[i] ~ /^-/)
			names = names " " parts[i]
		else
			value = parts[i]
	}
	values = kind_of(value)
	add_list(description)
	next
}

# Continues a description.
names != "" && /^            / {
	line = $0
	sub(/^ +/, "", line)
	add_list(line)
	description = description (description == "" ? "" : " ") line
}

END {
	flush_option()
	if (below_names != "")
		print below_names "\t" formats "\t" below_description
	if (takes != "")
		print "=\t" takes "\t"
}
