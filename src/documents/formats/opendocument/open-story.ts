import type { Desk } from "../../reader.ts";
import type { Package } from "../office/open-package.ts";
import { ListCounter } from "./lists.ts";
import { noStyles, type OpenDocumentStyles, readStyles } from "./read-styles.ts";
import type { Story } from "./story.ts";

/** Begins to read a file, with the styles that all its parts share; those of its content are added when they are met. */
export function openStory(opened: Package, { budget }: Desk): { story: Story; styles: OpenDocumentStyles } {
  const styles = noStyles();
  const reader = opened.open("styles.xml");
  if (reader?.child(0)) {
    const { depth } = reader;
    while (reader.child(depth))
      if (reader.name === "office:styles" || reader.name === "office:automatic-styles")
        readStyles(reader, styles);
  }
  const { listStyles, listOfStyle, preformatted, titles, outline } = styles;
  const story: Story = {
    opened,
    budget,
    listStyles,
    listOfStyle,
    preformatted,
    titles,
    outline,
    headings: new ListCounter(),
    lists: new Map(),
    cited: [],
    tally: { changes: 0, pictures: 0, hidden: 0, embedded: 0, repeated: 0, cited: new Map() },
  };
  return { story, styles };
}
