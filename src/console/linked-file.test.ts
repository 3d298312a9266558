import { describe, expect, it } from "vitest";
import { csvLine } from "./linked-file.ts";

describe("a line of CSV", () => {
  it("quotes what would end a cell or a line", () => {
    expect(csvLine(['say "hi"', "a,b", "two\nlines", null, 7, true])).toBe(
      '"say ""hi""","a,b","two\nlines",,7,true\r\n',
    );
  });

  it("keeps a spreadsheet from running text, and leaves numbers alone", () => {
    expect(csvLine(["=1+1", "+49", "-2", "-cmd", "@x", "\tx", '=HYPERLINK("x")'])).toBe(
      `'=1+1,'+49,-2,'-cmd,'@x,'\tx,"'=HYPERLINK(""x"")"\r\n`,
    );
  });
});
