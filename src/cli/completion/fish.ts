import type { Option } from "../command.ts";
import { type Completable, takesFile, takesFolder } from "./write-completion.ts";

export function writeFish(commands: readonly Completable[]): string {
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
complete -c toolcrib -n 'test (count (commandline -opc)) -eq 1' -l help -d 'explain'
complete -c toolcrib -n 'test (count (commandline -opc)) -eq 1' -l version -d 'print the version'
${commands.map(writeCommand).join("")}`;
}

function writeCommand({ name, summary, options, operands, takesFiles }: Completable): string {
  const after = (condition = "") => `complete -c toolcrib -n '__toolcrib_names ${name}${condition}'`;
  const noneYet = `; and __toolcrib_lacks ${operands.join(" ")}`;
  return [
    `complete -c toolcrib -n 'test (count (commandline -opc)) -eq 1' -a ${name} -d ${quote(summary)}`,
    ...options.map((option) => `${after()} ${writeOption(option)}`),
    ...(operands.length === 0 ? [] : [`${after(noneYet)} -a '${operands.join(" ")}'`]),
    ...(takesFiles ? [`${after()} -F`] : []),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function writeOption(option: Option): string {
  const { name, short, value, choices, summary } = option;
  const values = takesFolder(option) ? "(__fish_complete_directories)" : (choices?.join(" ") ?? "");
  return [
    `-l ${name}`,
    ...(short === undefined ? [] : [`-s ${short}`]),
    ...(value === undefined ? [] : [takesFile(option) ? "-r -F" : `-x -a '${values}'`]),
    `-d ${quote(summary)}`,
  ].join(" ");
}

/** In fish a quote inside single quotes is escaped by a backslash. */
function quote(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
