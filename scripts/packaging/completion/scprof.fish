# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of scprof for fish. What can stand where is scprof's to say
# (`scprof complete`); files and other commands are completed as fish does.

function __scprof_complete
	set -l done (commandline -opc)
	set -l word (commandline -ct)
	set -l rest (commandline -o)
	set -l from (math (count $done) + 2)
	set -l after
	if test (count $rest) -ge $from
		set after $rest[$from..-1]
	end
	set -l lines ($done[1] complete (math (count $done) - 1) $done[2..-1] "$word" $after 2>/dev/null)
	set -l path (string replace -r '^--[^=]*=' '' -- "$word")
	set -l option (string match -r '^--[^=]*=' -- "$word")
	for line in $lines
		switch $line
			case ':open'
				continue
			case ':files*'
				set -l suffix (string replace ':files ' '' -- $line)
				for name in $path*
					if test -d $name
						printf '%s%s/\n' "$option" $name
					else if test -z "$suffix"; or string match -q -- "*$suffix" $name
						printf '%s%s\n' "$option" $name
					end
				end
			case ':dirs'
				for name in $path*/
					printf '%s%s\n' "$option" $name
				end
			case ':command *'
				set -l first (string replace ':command ' '' -- $line)
				set -l inner $done[(math $first + 2)..-1]
				complete -C (string join ' ' -- (string escape -- $inner) "$word")
			case '*'
				printf '%s\n' $line
		end
	end
end

complete -c scprof -f -a '(__scprof_complete)'
