/** Adds entries to one conversation as fast as it can. Arguments: database, conversation, count, its own name. */

import { StoredConversations } from "../../../src/journal/conversations.ts";
import { Journal } from "../../../src/journal/journal.ts";

const [file, session, count, name] = process.argv.slice(2) as [string, string, string, string];
const journal = new Journal({ file, session: `of ${name}` });
const conversations = new StoredConversations(journal);
for (let index = 0; index < Number(count); index += 1) {
  process.stdout.write(
    `${conversations.append(session, [
      { name, index },
      { name, also: index },
    ])}\n`,
  );
}
journal.close();
