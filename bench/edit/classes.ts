import { cleanClasses } from "./classes/clean.ts";
import { decidedClasses } from "./classes/decided.ts";
import { eitherClasses } from "./classes/either.ts";
import { encodingClasses } from "./classes/encodings.ts";
import { escapeClasses } from "./classes/escapes.ts";
import { fileClasses } from "./classes/files.ts";
import { glyphClasses } from "./classes/glyphs.ts";
import { gutterClasses } from "./classes/gutters.ts";
import { headerClasses } from "./classes/headers.ts";
import { lineEndClasses } from "./classes/line-ends.ts";
import { markerClasses } from "./classes/markers.ts";
import { numberClasses } from "./classes/numbers.ts";
import { pairClasses } from "./classes/pairs.ts";
import { refusedFileClasses } from "./classes/refuse-files.ts";
import { ambiguousClasses } from "./classes/refuse-places.ts";
import { refusedTextClasses } from "./classes/refuse-text.ts";
import { staleClasses } from "./classes/stale.ts";
import { whitespaceClasses } from "./classes/whitespace.ts";
import { wrapperClasses } from "./classes/wrappers.ts";
import type { TaskClass } from "./draft.ts";

export const taskClasses: readonly TaskClass[] = [
  ...cleanClasses,
  ...decidedClasses,
  ...fileClasses,
  ...whitespaceClasses,
  ...glyphClasses,
  ...lineEndClasses,
  ...encodingClasses,
  ...gutterClasses,
  ...escapeClasses,
  ...wrapperClasses,
  ...markerClasses,
  ...headerClasses,
  ...numberClasses,
  ...pairClasses,
  ...staleClasses,
  ...eitherClasses,
  ...ambiguousClasses,
  ...refusedTextClasses,
  ...refusedFileClasses,
];
