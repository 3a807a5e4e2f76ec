import { shellQuote } from "../../lib/shell-quote.ts";
import type { Option } from "../command.ts";
import { type Completable, flagsOf, takesFile, takesFolder } from "./write-completion.ts";

/** Works from a file on the fpath and through `eval`. */
export function writeZsh(commands: readonly Completable[]): string {
  const described = commands.map(({ name, summary }) => `    ${shellQuote(`${name}:${summary}`)}\n`);
  return `#compdef toolcrib
# Completion of toolcrib for zsh. In ~/.zshrc, after compinit: eval "$(toolcrib completion zsh)"
_toolcrib() {
  local -a commands
  commands=(
${described.join("")}  )
  if ((CURRENT == 2)); then
    _describe command commands
    _arguments '--help[explain]' '--version[print the version]'
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
${commands.map(writeCommand).join("")}  esac
}
if [[ $funcstack[1] == _toolcrib ]]; then
  _toolcrib "$@"
else
  compdef _toolcrib toolcrib
fi
`;
}

function writeCommand({ name, options, operands, takesFiles }: Completable): string {
  const specifications = [
    ...options.map(writeOption),
    ...(operands.length === 0 ? [] : [shellQuote(`1:${name}:(${operands.join(" ")})`)]),
    ...(takesFiles ? [shellQuote("*:argument:_files")] : []),
  ];
  return `    ${name})
      _arguments ${specifications.join(" \\\n        ")}
      ;;
`;
}

function writeOption(option: Option): string {
  const flags = flagsOf(option);
  const summary = `[${option.summary.replace(/[[\]:]/g, "\\$&")}]`;
  const choices = `(${option.choices?.join(" ") ?? ""})`;
  const action = takesFolder(option) ? "_directories" : takesFile(option) ? "_files" : choices;
  const value = option.value === undefined ? "" : `:${option.value}:${action}`;
  const names = flags.length === 1 ? flags[0] : `${shellQuote(`(${flags.join(" ")})`)}{${flags.join(",")}}`;
  return `${names}${shellQuote(summary + value)}`;
}
