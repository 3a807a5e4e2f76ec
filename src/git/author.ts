import { ToolError } from "../contract/error.ts";
import { type GitContext, type Repository, runGit } from "./run-git.ts";

/** Who commits, by git's own settings; never guessed from the names of the user and the machine. */
export async function requireAuthor(repository: Repository, context: GitContext): Promise<void> {
  const { code, stderr } = await runGit(repository, ["var", "GIT_COMMITTER_IDENT"], context, {
    settings: authorSettings,
  });
  if (code === 0) return;
  const isEmail = !/empty ident name|no name was given/.test(stderr);
  throw new ToolError(
    "unavailable",
    `git does not know who commits: user.${isEmail ? "email" : "name"} is not set`,
    {
      hint: 'Ask the person to run: git config --global user.name "Their Name" && git config --global user.email their@address',
    },
  );
}

export const authorSettings = { "user.useConfigOnly": "true" } as const;
