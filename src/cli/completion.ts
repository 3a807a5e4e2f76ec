import type { Shell } from "./commands/completion.ts";

/**
 * Returns a script that completes the words of a command line. It asks `toolcrib completion words`, whose first line
 * says whether the shell adds files or folders; each other line is a candidate, a tab and its description.
 */
export function completionScript(shell: Shell): string {
  return { bash, zsh, fish }[shell];
}

/** Limited to bash 3.2, which macOS ships. */
const bash = `# Completion of toolcrib for bash. In ~/.bashrc: eval "$(toolcrib completion bash)"
_toolcrib() {
  local IFS=$'\\n' word glue="" kind="" prefix line current=\${COMP_WORDS[COMP_CWORD]}
  local -a words=()
  # Bash breaks --mode=safe and llama:8b into three words.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ $word =~ ^[=:]+$ && \${#words[@]} -gt 0 ]]; then words[\${#words[@]}-1]+=$word; glue=1
    elif [[ $glue ]]; then words[\${#words[@]}-1]+=$word; glue=""
    else words[\${#words[@]}]=$word
    fi
  done
  [[ $current =~ ^[=:]+$ ]] && current=""
  prefix=\${words[\${#words[@]}-1]}
  prefix=\${prefix%"$current"}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; continue; fi
    line=\${line%%$'\\t'*}
    COMPREPLY[\${#COMPREPLY[@]}]=\${line#"$prefix"}
  done < <(command toolcrib completion words -- "\${words[@]}" 2>/dev/null)
  case $kind in
    files) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$current")) ;;
    folders) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -d -- "$current")) ;;
  esac
}
complete -F _toolcrib toolcrib
`;

/** Works from a file on the fpath and through \`eval\`. */
const zsh = `#compdef toolcrib
# Completion of toolcrib for zsh. In ~/.zshrc, after compinit: eval "$(toolcrib completion zsh)"
_toolcrib() {
  local line kind value
  local -a lines offers
  lines=("\${(@f)$(command toolcrib completion words -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  kind=$lines[1]
  for line in "\${(@)lines[2,-1]}"; do
    value=\${line%%$'\\t'*}
    if [[ $line == *$'\\t'* ]]; then offers+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
    else offers+=("\${value//:/\\\\:}")
    fi
  done
  (( $#offers )) && _describe -V toolcrib offers
  # A value after an equals sign is completed without its flag.
  [[ $kind != words ]] && compset -P '--*='
  case $kind in
    files) _files ;;
    folders) _directories ;;
  esac
}
if [[ $funcstack[1] == _toolcrib ]]; then
  _toolcrib "$@"
else
  compdef _toolcrib toolcrib
fi
`;

const fish = `# Completion of toolcrib for fish. In ~/.config/fish/config.fish: toolcrib completion fish | source
function __toolcrib_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (command toolcrib completion words -- $words[2..-1] "$current" 2>/dev/null)
    test (count $lines) -gt 1; and printf '%s\\n' $lines[2..-1]
    # A value after an equals sign needs its flag again.
    set -l flag (string match -r -- '^--[^=]*=' "$current")
    set -l value (string replace -- "$flag" '' "$current")
    switch "$lines[1]"
        case files
            string replace -r -- '^' "$flag" (__fish_complete_path "$value")
        case folders
            string replace -r -- '^' "$flag" (__fish_complete_directories "$value")
    end
end
complete -c toolcrib -e
complete -c toolcrib -f -k -a '(__toolcrib_complete)'
`;
