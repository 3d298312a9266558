import { ExportFormatError } from "./export-row.ts";

/** A field of a CSV text and the place where it begins; lines and columns count from 1. */
export interface CsvCell {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/** Parses CSV by RFC 4180; empty lines are skipped. Throws ExportFormatError for unbalanced quotes. */
export function parseCsv(text: string): CsvCell[][] {
  const records: CsvCell[][] = [];
  let record: CsvCell[] = [];
  let field = "";
  let state: "plain" | "quoted" | "closed" = "plain";
  let [line, lineStart] = [1, text.startsWith("\ufeff") ? 1 : 0];
  let start = { line, column: 1 };
  const endField = (next: number): void => {
    record.push({ text: field, ...start });
    field = "";
    state = "plain";
    start = { line, column: next - lineStart + 1 };
  };
  const beginLine = (at: number): void => {
    line += 1;
    lineStart = at;
  };
  const endRecord = (next: number): void => {
    endField(next);
    if (record.some((each) => each.text !== "")) records.push(record);
    record = [];
  };
  for (let index = lineStart; index < text.length; index += 1) {
    const char = text[index];
    if (state === "quoted") {
      if (char === '"' && text[index + 1] === '"') index += 1;
      else if (char === '"') {
        state = "closed";
        continue;
      }
      field += char;
      if (char === "\n") beginLine(index + 1);
    } else if (char === ",") endField(index + 1);
    else if (char === "\n" || char === "\r") {
      if (char === "\r" && text[index + 1] === "\n") index += 1;
      beginLine(index + 1);
      endRecord(index + 1);
    } else if (state === "closed") {
      const message = "there is text behind the closing quote; write a quote within a field twice";
      throw new ExportFormatError([{ line, column: index - lineStart + 1, message }]);
    } else if (char === '"' && field === "") state = "quoted";
    else field += char;
  }
  if (state === "quoted")
    throw new ExportFormatError([{ ...start, message: "the quote that begins here is never closed" }]);
  endRecord(text.length);
  return records;
}
