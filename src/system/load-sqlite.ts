/** Node 22 warns that SQLite is experimental; that is no news for the people who run an agent. */
export function loadSqlite(): typeof import("node:sqlite") {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}
