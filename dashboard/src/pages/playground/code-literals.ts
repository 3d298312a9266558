/** Images within a request would bury the code around them. */
const MAX_TEXT = 2_000;

function shown(text: string): string {
  return text.startsWith("data:") && text.length > 200
    ? `${text.slice(0, 60)}...`
    : text.length > MAX_TEXT
      ? `${text.slice(0, MAX_TEXT)}...`
      : text;
}

/** A value as indented JSON, long images cut short. */
export function jsonText(value: unknown, indent = 0): string {
  const text = JSON.stringify(
    value,
    (_, each: unknown) => (typeof each === "string" ? shown(each) : each),
    2,
  );
  return text.replaceAll("\n", `\n${" ".repeat(indent)}`);
}

/** A value as a literal of Python. */
export function pythonText(value: unknown, indent = 0): string {
  const inner = " ".repeat(indent + 4);
  const close = `\n${" ".repeat(indent)}`;
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  // JSON's escapes are Python's too.
  if (typeof value === "string") return JSON.stringify(shown(value));
  if (typeof value !== "object") return String(value);
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item) => `${inner}${pythonText(item, indent + 4)},`)
    : Object.entries(value).map(
        ([name, item]) => `${inner}${JSON.stringify(name)}: ${pythonText(item, indent + 4)},`,
      );
  const [open, end] = isList ? ["[", "]"] : ["{", "}"];
  return items.length === 0 ? `${open}${end}` : `${open}\n${items.join("\n")}${close}${end}`;
}

/** Named arguments of a Python call. */
export function pythonArguments(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([name, value]) => `    ${name}=${pythonText(value, 4)},`)
    .join("\n");
}
