import { languagesOf, type ServerProgram } from "../code/servers/known-servers.ts";
import type { LanguageServerSetting } from "../contract/language-server.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { ProgramFinder } from "../system/find-program.ts";

/** A language server that is installed in the project or by the user. */
export interface FoundLanguageServer extends Pick<ServerProgram, "name" | "command"> {
  readonly language: string;
  /** Whether it comes with the project, so that it runs only with a rule of the user. */
  readonly needsRule: boolean;
}

/** Finds the language servers for a workspace. Starts none. */
export async function findLanguageServers(
  workspace: string,
  settings: Readonly<Record<string, LanguageServerSetting>>,
): Promise<readonly FoundLanguageServer[]> {
  const environment = openLocalEnvironment({ workspace });
  const finder = new ProgramFinder({}, workspace);
  const isThere = async ({ program }: ServerProgram) =>
    finder.find(program).then(
      () => true,
      () => false,
    );
  try {
    const found: FoundLanguageServer[] = [];
    for (const language of languagesOf(settings))
      for (const program of await language.programs(environment)) {
        if (!(await isThere(program))) continue;
        const { name, command, chosenBy } = program;
        found.push({ language: language.name, name, command, needsRule: chosenBy === "repository" });
      }
    return found;
  } finally {
    await environment.close();
  }
}
