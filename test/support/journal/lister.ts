import { Journal } from "../../../src/journal/journal.ts";

/** Prepares the lists of a journal again and again, and prints a line after each step. */
const [file = ""] = process.argv.slice(2);
const journal = new Journal({ file, session: "lister" });
for (;;) process.stdout.write(`${journal.prepareSummaries()}\n`);
