import { toolcribDialect } from "../dialects/toolcrib.ts";
import { shellQuote } from "../lib/text/shell-quote.ts";
import type { Command, Option } from "./command.ts";
import type { Shell } from "./commands/completion.ts";
import { optionsOf } from "./options.ts";

/** The part of a command that shells complete. */
interface Completable {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly Option[];
  /** Possible first operands. */
  readonly operands: readonly string[];
  readonly takesFiles: boolean;
}

/** Returns a script that completes commands, options, their values, and tool names. */
export function writeCompletion(shell: Shell, commands: readonly Command[]): string {
  const completables = commands.map((command) => ({
    name: command.name,
    summary: command.summary,
    options: optionsOf(command),
    operands: operandsOf(command, commands),
    takesFiles: command.forwardsFlags === true,
  }));
  return { bash: writeBash, zsh: writeZsh, fish: writeFish }[shell](completables);
}

function operandsOf({ operand }: Command, commands: readonly Command[]): readonly string[] {
  const tools = toolcribDialect.tools.map(({ canonical }) => canonical);
  if (operand === "tool") return tools;
  if (operand === "command") return [...commands.map(({ name }) => name), ...tools];
  return operand ?? [];
}

/** Returns the flags of an option: `--workspace`, and `-C` where there is a short form. */
function flagsOf({ name, short }: Option): readonly string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
}

function takesFolder({ value }: Option): boolean {
  return value === "DIR";
}

function takesFile({ value }: Option): boolean {
  return value === "FILE";
}

/** Writes the script for bash. It is limited to bash 3.2, which macOS ships. */
function writeBash(commands: readonly Completable[]): string {
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
${commands.map(writeBashCommand).join("")}    *) return ;;
  esac
  # Offer an operand once; the value of a flag is not an operand.
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

function writeBashCommand({ name, options, operands }: Completable): string {
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

/** Writes the script for zsh, which works from a file on the fpath and through `eval`. */
function writeZsh(commands: readonly Completable[]): string {
  const described = commands.map(({ name, summary }) => `    ${shellQuote(`${name}:${summary}`)}\n`);
  return `#compdef toolcrib
# Completion of toolcrib for zsh. In ~/.zshrc, after compinit: eval "$(toolcrib completion zsh)"
_toolcrib() {
  local -a commands
  commands=(
${described.join("")}  )
  if ((CURRENT == 2)); then
    _describe command commands
    _arguments '--help[show help]' '--version[print the version]'
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
${commands.map(writeZshCommand).join("")}  esac
}
if [[ $funcstack[1] == _toolcrib ]]; then
  _toolcrib "$@"
else
  compdef _toolcrib toolcrib
fi
`;
}

function writeZshCommand({ name, options, operands, takesFiles }: Completable): string {
  const specifications = [
    ...options.map(writeZshOption),
    ...(operands.length === 0 ? [] : [shellQuote(`1:${name}:(${operands.join(" ")})`)]),
    ...(takesFiles ? [shellQuote("*:argument:_files")] : []),
  ];
  return `    ${name})
      _arguments ${specifications.join(" \\\n        ")}
      ;;
`;
}

function writeZshOption(option: Option): string {
  const flags = flagsOf(option);
  const summary = `[${option.summary.replace(/[[\]:]/g, "\\$&")}]`;
  const choices = `(${option.choices?.join(" ") ?? ""})`;
  const action = takesFolder(option) ? "_directories" : takesFile(option) ? "_files" : choices;
  const value = option.value === undefined ? "" : `:${option.value}:${action}`;
  const names = flags.length === 1 ? flags[0] : `${shellQuote(`(${flags.join(" ")})`)}{${flags.join(",")}}`;
  return `${names}${shellQuote(summary + value)}`;
}

function writeFish(commands: readonly Completable[]): string {
  return `# Completion of toolcrib for fish. In ~/.config/fish/config.fish: toolcrib completion fish | source
function __toolcrib_names
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = "$argv[1]"
end
function __toolcrib_lacks
    set -l words (commandline -opc)
    for word in $argv
        contains -- $word $words[3..-1]; and return 1
    end
    return 0
end
complete -c toolcrib -e
complete -c toolcrib -f
complete -c toolcrib -n 'test (count (commandline -opc)) -eq 1' -l help -d 'show help'
complete -c toolcrib -n 'test (count (commandline -opc)) -eq 1' -l version -d 'print the version'
${commands.map(writeFishCommand).join("")}`;
}

function writeFishCommand({ name, summary, options, operands, takesFiles }: Completable): string {
  const after = (condition = "") => `complete -c toolcrib -n '__toolcrib_names ${name}${condition}'`;
  const noneYet = `; and __toolcrib_lacks ${operands.join(" ")}`;
  return [
    `complete -c toolcrib -n 'test (count (commandline -opc)) -eq 1' -a ${name} -d ${quoteFish(summary)}`,
    ...options.map((option) => `${after()} ${writeFishOption(option)}`),
    ...(operands.length === 0 ? [] : [`${after(noneYet)} -a '${operands.join(" ")}'`]),
    ...(takesFiles ? [`${after()} -F`] : []),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function writeFishOption(option: Option): string {
  const { name, short, value, choices, summary } = option;
  const values = takesFolder(option) ? "(__fish_complete_directories)" : (choices?.join(" ") ?? "");
  return [
    `-l ${name}`,
    ...(short === undefined ? [] : [`-s ${short}`]),
    ...(value === undefined ? [] : [takesFile(option) ? "-r -F" : `-x -a '${values}'`]),
    `-d ${quoteFish(summary)}`,
  ].join(" ");
}

/** Quotes a text for fish, where a backslash escapes a quote inside single quotes. */
function quoteFish(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
