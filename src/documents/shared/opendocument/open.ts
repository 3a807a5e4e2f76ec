import type { DocumentSource } from "../../../contract/document.ts";
import type { Budget } from "../../budget.ts";
import { encrypted, type ReadingContext } from "../../reader.ts";
import type { Block } from "../blocks.ts";
import { openPackage, type Package } from "../office-package.ts";
import { ListCounter, noStyles, type OpenDocumentStyles, readStyles } from "./styles.ts";

/** Opens the archive of an OpenDocument file. Throws for a file with a password. */
export function openOpenDocument(source: DocumentSource, context: ReadingContext): Package {
  const opened = openPackage(source, context);
  const manifest = opened.open("META-INF/manifest.xml");
  if (manifest?.mentions("encryption-data")) throw encrypted(source.name);
  return opened;
}

/**
 * Prepares the state for reading, with the styles of styles.xml. The reader of content.xml adds those it finds there.
 */
export function openStory(
  opened: Package,
  { budget }: ReadingContext,
): { story: Story; styles: OpenDocumentStyles } {
  const styles = noStyles();
  const reader = opened.open("styles.xml");
  for (const name of reader?.children() ?? [])
    if (name === "office:styles" || name === "office:automatic-styles") readStyles(reader!, styles);
  const story: Story = {
    opened,
    budget,
    ...styles,
    headings: new ListCounter(),
    lists: new Map(),
    cited: [],
    tally: { changes: 0, pictures: 0, hidden: 0, embedded: 0, repeated: 0, cited: new Map() },
  };
  return { story, styles };
}

export interface Story extends Readonly<OpenDocumentStyles> {
  readonly opened: Package;
  readonly budget: Budget;
  readonly headings: ListCounter;
  /** Counters of lists that may be continued, by "name X" and by "style X". */
  readonly lists: Map<string, ListCounter>;
  /** Notes and comments cited since the last block. */
  readonly cited: Block[];
  readonly tally: {
    changes: number;
    pictures: number;
    hidden: number;
    embedded: number;
    /** The number of row and cell repeats that were cut off. */
    repeated: number;
    readonly cited: Map<string, number>;
  };
}

export interface Line {
  text: string;
  /** The content of frames that are anchored in the line. It follows the line. */
  readonly boxes: Block[];
}
