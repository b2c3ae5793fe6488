# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Completion of scprof for bash. What can stand where is scprof's to say
# (`scprof complete`); files and other commands are completed as bash does.

# Words of the line are taken from the line itself: bash splits at ':' and '=',
# which are within ours.
_scprof()
{
	local before=${COMP_LINE:0:COMP_POINT} after=${COMP_LINE:COMP_POINT}
	local -a words rest
	local word ahead line candidate IFS=$' \t\n'

	read -ra words <<<"$before"
	[[ $before == *[[:space:]] ]] && words+=("")
	read -ra rest <<<"$after"
	[[ $after == [[:space:]]* || -z $after ]] || rest=("${rest[@]:1}")
	word=${words[${#words[@]} - 1]#[\'\"]}
	# what bash believes to be done of this word already
	ahead=${COMP_WORDS[COMP_CWORD]}
	case $ahead in
	: | = | '') ahead=$word ;;
	*) ahead=${word%"${ahead#[\'\"]}"} ;;
	esac
	[ -n "$word" ] || ahead=
	COMPREPLY=()
	while IFS= read -r line; do
		candidate=${line%%$'\t'*}
		case $line in
		:open) compopt -o nospace 2>/dev/null ;;
		:files*) _scprof_files "${word#--*=}" "${line#:files }" ;;
		:dirs) _scprof_dirs "${word#--*=}" ;;
		:command*) _scprof_command "${line#:command }" "$word" ;;
		*) COMPREPLY+=("${candidate#"$ahead"}") ;;
		esac
	done < <("${words[0]}" complete $((${#words[@]} - 2)) "${words[@]:1:${#words[@]}-2}" "$word" "${rest[@]}" 2>/dev/null)
}

# _scprof_files WORD SUFFIX: files that end so, and directories on the way.
_scprof_files()
{
	local IFS=$'\n' name
	compopt -o filenames 2>/dev/null
	for name in $(compgen -f -- "$1"); do
		if [[ -d $name || $name == *"$2" ]]; then COMPREPLY+=("$name"); fi
	done
}

_scprof_dirs()
{
	local IFS=$'\n'
	compopt -o filenames 2>/dev/null
	# shellcheck disable=SC2207 # split at newlines
	COMPREPLY+=($(compgen -d -- "$1"))
}

# _scprof_command N WORD: from word N after scprof on, a command with a
# completion of its own. bash-completion knows how, where it is installed; it
# counts words as bash splits them.
_scprof_command()
{
	local IFS=$'\n' ahead='' split='' offset=0
	if declare -F _command_offset >/dev/null; then
		printf -v ahead '%s' "${words[@]:0:$1+1}"
		while [ ${#split} -lt ${#ahead} ]; do
			split+=${COMP_WORDS[offset]}
			offset=$((offset + 1))
		done
		IFS=$' \t\n'
		_command_offset "$offset"
	elif [ $((COMP_CWORD - 1)) = "$1" ]; then
		compopt -o filenames 2>/dev/null
		# shellcheck disable=SC2207 # split at newlines
		COMPREPLY+=($(compgen -c -f -- "$2" | sort -u))
	else
		compopt -o filenames 2>/dev/null
		# shellcheck disable=SC2207 # split at newlines
		COMPREPLY+=($(compgen -f -- "$2"))
	fi
}

complete -F _scprof scprof
