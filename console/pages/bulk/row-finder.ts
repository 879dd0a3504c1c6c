const lineEnd = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;
const space = 0x20;
const delimiterBytes = new Set([0x2c, 0x3b]);

/** Where the rows of a file start, in bytes and in lines. */
export type RowOffsets = { starts: number[]; lines: number[]; size: number };

/**
 * Finds the rows while a file is read. Rows end at line breaks or, in CSV, at line breaks outside quotes, which can also
 * be the CR of old programs. Blank lines are skipped, and so are rows of empty cells, which spreadsheets export.
 */
export function openRowFinder(isCsv: boolean) {
  const places: RowOffsets = { starts: [], lines: [], size: 0 };
  let line = 1;
  let start = 0;
  let startLine = 1;
  let isQuoted = false;
  let hasText = false;
  let isAfterReturn = false;
  const end = (next: number) => {
    if (hasText) {
      places.starts.push(start);
      places.lines.push(startLine);
    }
    start = next;
    startLine = line;
    hasText = false;
  };
  return {
    push(bytes: Uint8Array): void {
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at] as number;
        if (byte > space && !(isCsv && delimiterBytes.has(byte))) hasText = true;
        if (isCsv && byte === quote) isQuoted = !isQuoted;
        else if (byte === lineEnd || byte === carriageReturn) {
          if (!(isAfterReturn && byte === lineEnd)) line++;
          if (!isQuoted && (isCsv || byte === lineEnd)) end(places.size + at + 1);
        }
        isAfterReturn = byte === carriageReturn;
      }
      places.size += bytes.length;
    },
    end(): RowOffsets {
      end(places.size);
      return places;
    },
  };
}
