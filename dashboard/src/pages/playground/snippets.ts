import { jsonText, pythonArguments, pythonText } from "./code-literals.ts";

/** A request as code: for what it is, and the text. */
export type Snippet = readonly [title: string, text: string];

/** A POST with the key of the environment. */
export function curlSnippet(url: string, body: unknown, streams: boolean): Snippet {
  // A single quote ends the quoted text of a shell; a here-document has no such letter.
  return [
    "curl",
    `curl ${streams ? "-N " : ""}"${url}" \\
  -H "Authorization: Bearer $FAREGATE_API_KEY" \\
  -H "content-type: application/json" \\
  -d @- <<'JSON'
${jsonText(body)}
JSON`,
  ];
}

/** How a template of TypeScript holds the id. */
const SCRIPT_ID = ["$", "{id}"].join("");

type Body = Readonly<Record<string, unknown>>;

/** A submit of an image or video and the waiting for its end. */
export function mediaSnippets(origin: string, submit: string, read: string, body: Body): readonly Snippet[] {
  return [
    curlSnippet(`${origin}${submit}`, body, false),
    [
      "Python",
      `import os
import requests

key = {"Authorization": f"Bearer {os.environ['FAREGATE_API_KEY']}"}
task = requests.post(
    "${origin}${submit}",
    headers=key,
    json=${pythonText(body, 4)},
).json()
while True:
    record = requests.get(f"${origin}${read.replace("{id}", "{task['id']}")}?wait=30", headers=key).json()
    if record["status"] in ("SUCCESS", "FAILURE", "FAILED"):
        break
print(record)`,
    ],
    [
      "TypeScript",
      `const headers = {
  authorization: \`Bearer \${process.env.FAREGATE_API_KEY}\`,
  "content-type": "application/json",
};
const submitted = await fetch("${origin}${submit}", {
  method: "POST",
  headers,
  body: JSON.stringify(${jsonText(body, 2)}),
});
const { id } = await submitted.json();
let record;
do {
  const answer = await fetch(\`${origin}${read.replace("{id}", SCRIPT_ID)}?wait=30\`, { headers });
  record = await answer.json();
} while (!["SUCCESS", "FAILURE", "FAILED"].includes(record.status));
console.log(record);`,
    ],
  ];
}

/** A call of an SDK of the OpenAI or Anthropic kind; `print` writes what one event holds. */
export interface SdkCall {
  readonly python: { readonly setup: string; readonly call: string; readonly print: string };
  readonly typescript: { readonly setup: string; readonly call: string; readonly print: string };
}

export function sdkSnippets(body: Body, { python, typescript }: SdkCall): readonly Snippet[] {
  return [
    [
      "Python",
      `${python.setup}

stream = ${python.call}(
${pythonArguments(body)}
)
for event in stream:
${python.print}`,
    ],
    [
      "TypeScript",
      `${typescript.setup}

const stream = await ${typescript.call}(${jsonText(body)});
for await (const event of stream) {
${typescript.print}
}`,
    ],
  ];
}
