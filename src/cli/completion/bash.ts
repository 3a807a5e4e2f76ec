import type { Option } from "../command.ts";
import { type Completable, flagsOf, takesFile, takesFolder } from "./write-completion.ts";

/** Kept to what bash 3.2 knows, which macOS still ships. */
export function writeBash(commands: readonly Completable[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  return `# Completion of toolcrib for bash. In ~/.bashrc: eval "$(toolcrib completion bash)"
_toolcrib() {
  local IFS=$' \\t\\n' current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local flags="" operands="" valued="" index
  # Bash breaks --mode=safe into three words.
  if [[ $current == "=" ]]; then current=""
  elif [[ $previous == "=" ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "${names} --help --version" -- "$current"))
    return
  fi
  case \${COMP_WORDS[1]} in
${commands.map(writeCommand).join("")}    *) return ;;
  esac
  # An operand is offered once; the value of a flag is none.
  for ((index = 2; index < COMP_CWORD; index++)); do
    case \${COMP_WORDS[index]} in
      --) return ;;
      -*)
        if [[ " $valued " == *" \${COMP_WORDS[index]} "* ]]; then
          [[ \${COMP_WORDS[index+1]} == "=" ]] && ((index++))
          ((index++))
        fi
        ;;
      *) operands="" ;;
    esac
  done
  COMPREPLY=($(compgen -W "$operands $flags" -- "$current"))
}
complete -o default -F _toolcrib toolcrib
`;
}

function writeCommand({ name, options, operands }: Completable): string {
  const valued = options.filter(({ value }) => value !== undefined);
  const cases = [
    ...writePaths(valued.filter(takesFolder), "-d"),
    ...writePaths(valued.filter(takesFile), "-f"),
    ...valued
      .filter((option) => !takesFolder(option) && !takesFile(option))
      .map((option) => {
        const values = `COMPREPLY=($(compgen -W "${option.choices?.join(" ") ?? ""}" -- "$current"))`;
        return `        ${flagsOf(option).join(" | ")}) ${values}; return ;;\n`;
      }),
  ];
  return `    ${name})
${cases.length === 0 ? "" : `      case $previous in\n${cases.join("")}      esac\n`}      flags="${options.flatMap(flagsOf).join(" ")}"
      operands="${operands.join(" ")}"
      valued="${valued.flatMap(flagsOf).join(" ")}"
      ;;
`;
}

function writePaths(options: readonly Option[], kind: "-d" | "-f"): readonly string[] {
  if (options.length === 0) return [];
  const complete = `IFS=$'\\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen ${kind} -- "$current"))`;
  return [`        ${options.flatMap(flagsOf).join(" | ")}) ${complete}; return ;;\n`];
}
