/** Sets variables of this process, and restores them at the end. */
export function withVariables(variables: Readonly<Record<string, string | undefined>>): Disposable {
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  set(variables);
  return { [Symbol.dispose]: () => set(before) };
}

function set(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
