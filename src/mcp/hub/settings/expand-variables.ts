import { ToolError } from "../../../contract/error.ts";

/** Puts in the values that "${NAME}" and "${NAME:-else}" stand for, and tells each value of a variable. */
export function expandVariables(
  text: string,
  variables: NodeJS.ProcessEnv,
  tell: (value: string) => void,
): string {
  return text.replace(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_, name: string, otherwise?: string) => {
      const value = variables[name];
      if (value !== undefined && value !== "") {
        tell(value);
        return value;
      }
      if (otherwise !== undefined) return otherwise;
      throw new ToolError("invalid-input", `the environment variable ${name} is not set`);
    },
  );
}
