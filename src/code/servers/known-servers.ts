import { posix } from "node:path";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import type { LanguageServerSetting } from "../../contract/language-server.ts";

/** A language, or several that share a server. */
export interface ServedLanguage {
  readonly name: string;
  /** Such as ".ts". */
  readonly extensions: readonly string[];
  /** How the user gets a server, to follow "Ask the user to". */
  readonly install: string;
  /** Globs of the files whose changes a server must know. */
  readonly watched: readonly string[];
  languageIdOf(path: string): string;
  /** Returns the programs that could serve it, best first. */
  programs(environment: Environment): Promise<readonly ServerProgram[]>;
}

export interface ServerProgram {
  /** For messages and `doctor`. */
  readonly name: string;
  /** The name of an installed program, or an absolute path. */
  readonly program: string;
  readonly args: readonly string[];
  /** The command as rules name it. */
  readonly command: string;
  /** A program, or a part of it, that the repository brings needs a rule of the user. */
  readonly chosenBy: "repository" | "user";
  readonly options?: Readonly<Record<string, unknown>> | undefined;
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  readonly hasTsserver?: boolean | undefined;
}

/** Returns the language of a file. The user's own servers come first. */
export function languageFor(
  path: string,
  settings: Readonly<Record<string, LanguageServerSetting>>,
): ServedLanguage | undefined {
  const extension = posix.extname(path).toLowerCase();
  return languagesOf(settings).find(({ extensions }) => extensions.includes(extension));
}

export function languagesOf(
  settings: Readonly<Record<string, LanguageServerSetting>>,
): readonly ServedLanguage[] {
  return [
    ...Object.entries(settings).map(([name, setting]) => configured(name, setting)),
    typescript,
    python,
  ];
}

function configured(name: string, setting: LanguageServerSetting): ServedLanguage {
  const { command: program, args = [], extensions, settings = {} } = setting;
  const command = [program, ...args].join(" ");
  return {
    name,
    extensions: extensions.map((extension) => extension.toLowerCase()),
    install: `install ${program}`,
    watched: extensions.map((extension) => `*${extension}`),
    languageIdOf: (path) => idsByExtension[posix.extname(path)] ?? name,
    programs: async () => [
      {
        name,
        program,
        args,
        command,
        chosenBy: "user",
        options: settings,
        settings: { ...settings, "": settings },
      },
    ],
  };
}

const idsByExtension: Readonly<Record<string, string>> = {
  ".ts": "typescript",
  ".mts": "typescript",
  ".cts": "typescript",
  ".tsx": "typescriptreact",
  ".js": "javascript",
  ".mjs": "javascript",
  ".cjs": "javascript",
  ".jsx": "javascriptreact",
  ".py": "python",
  ".pyi": "python",
};

const typescript: ServedLanguage = {
  name: "typescript",
  install: "run: npm install --save-dev typescript",
  extensions: [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"],
  watched: ["*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}", "{ts,js}config*.json", "package.json"],
  languageIdOf: (path) => idsByExtension[posix.extname(path)] ?? "typescript",
  programs: async (environment) => {
    const version = await versionOf("node_modules/typescript", environment);
    if (version === undefined) return [];
    if (major(version) >= 7)
      return [
        {
          ...programIn(environment, "node_modules/typescript/bin/tsc", ["--lsp", "--stdio"]),
          name: `typescript ${version}`,
          chosenBy: "repository",
        },
      ];
    // It loads the TypeScript of the project, so the repository has chosen a part of it.
    const wrapped = (program: string): ServerProgram => ({
      ...programIn(environment, program, ["--stdio"]),
      name: "typescript-language-server",
      chosenBy: "repository",
      options: tsserverOptions,
      hasTsserver: true,
    });
    const own = "node_modules/typescript-language-server/lib/cli.mjs";
    return [
      ...((await exists(own, environment)) ? [wrapped(own)] : []),
      wrapped("typescript-language-server"),
    ];
  },
};

/** With its second, faster process, it would answer from single files while it loads the project. */
const tsserverOptions = {
  tsserver: { useSyntaxServer: "never" },
  disableAutomaticTypingAcquisition: true,
};

const python: ServedLanguage = {
  name: "python",
  install: "run: npm install --global pyright",
  extensions: [".py", ".pyi"],
  watched: ["*.{py,pyi}", "pyrightconfig.json", "pyproject.toml"],
  languageIdOf: () => "python",
  programs: async (environment) => {
    const pyright = (program: string, chosenBy: ServerProgram["chosenBy"]): ServerProgram => ({
      ...programIn(environment, program, ["--stdio"]),
      name: "pyright",
      chosenBy,
    });
    const own = ["node_modules/pyright/langserver.index.js", ".venv/bin/pyright-langserver"];
    const found = await Promise.all(own.map((path) => exists(path, environment)));
    return [
      ...own.filter((_, at) => found[at]).map((path) => pyright(path, "repository")),
      pyright("pyright-langserver", "user"),
    ];
  },
};

/** A program of the project by its path in the workspace, or an installed one by its name. */
function programIn(
  { workspace }: Environment,
  program: string,
  args: readonly string[],
): Pick<ServerProgram, "program" | "args" | "command"> {
  const path = program.includes("/") ? posix.join(workspace, program) : program;
  return { program: path, args, command: [program, ...args].join(" ") };
}

async function exists(path: string, environment: Environment): Promise<boolean> {
  try {
    return (await environment.info(path)).kind === "file";
  } catch (error) {
    // A link in node_modules may lead out of the workspace, where the sandbox decides.
    if (error instanceof ToolError) return error.code === "outside-workspace";
    throw error;
  }
}

async function versionOf(folder: string, environment: Environment): Promise<string | undefined> {
  try {
    const { bytes } = await environment.readFile(`${folder}/package.json`, { maxBytes: 1024 * 1024 });
    const { version } = JSON.parse(Buffer.from(bytes).toString()) as { version?: unknown };
    return typeof version === "string" && /^\d+\.\d+\.[\w.+-]{1,40}$/.test(version) ? version : undefined;
  } catch (error) {
    if (error instanceof ToolError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function major(version: string): number {
  return Number(version.split(".")[0]);
}
