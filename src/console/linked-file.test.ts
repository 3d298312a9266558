import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import type { Upstream } from "../catalog/catalog.ts";
import type { ConsoleDeps } from "./deps.ts";
import { csvLine, linkedFiles } from "./linked-file.ts";

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

describe("a file of an upstream with a proxy", () => {
  it("is not fetched past it", async () => {
    let hits = 0;
    const vendor = createServer((_, response) => {
      hits += 1;
      response.end("file");
    });
    await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
    const baseUrl = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
    const open = (through: () => Promise<never>) =>
      linkedFiles({
        catalog: { current: () => ({ settings: { egressAllow: [] } }) },
        publicUrl: () => Promise.resolve("http://gateway.example"),
        transport: { through: () => through },
      } as unknown as ConsoleDeps);
    const file = {
      url: `${baseUrl}/file`,
      upstream: { baseUrl } as Upstream,
      range: undefined,
      saveAs: undefined,
      gone: new AbortController().signal,
    };
    const down = () => Promise.reject(new Error("the proxy is down"));
    await expect(open(down)(file)).rejects.toMatchObject({ code: "upstream_error" });
    expect(hits).toBe(0);
    await new Promise((resolve) => vendor.close(resolve));
  });
});
