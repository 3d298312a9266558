/**
 * `${NAME}` in a value of the catalog file takes an environment variable, `$${` stands for `${` itself.
 * Expansion happens in values already read, so a variable's content can never become YAML.
 */
export interface Expansion {
  readonly text: string;
  /** The variable, where the value is one reference and nothing else: what an export can name. */
  readonly reference: string | null;
  /** Contents of the variables taken, which no message may show. */
  readonly taken: readonly string[];
  /** The problems, as sentences. */
  readonly problems: readonly string[];
}

const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * `isSecret` is set where `env` is not the environment but the secrets a gateway keeps: only secrets take them. `kept` gives
 * what a value that is one reference and nothing else means where its variable is not set.
 */
export function expandReferences(
  value: string,
  env: Readonly<Record<string, string | undefined>>,
  isSecret?: boolean,
  kept?: (name: string) => string | undefined,
): Expansion {
  const taken: string[] = [];
  const problems: string[] = [];
  const whole = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value);
  const text = value.replace(REFERENCE, (match: string, name?: string, close?: string) => {
    if (name === undefined) return "${";
    if (!close || !NAME.test(name)) {
      problems.push(`"\${" begins a reference like \${NAME}; write "$\${" for the characters themselves`);
      return match;
    }
    if (isSecret === false) {
      problems.push(
        `\${${name}} can stand for a secret only, in api_key, api_keys, credentials, headers, proxy, key and metrics_token; write the value itself`,
      );
      return match;
    }
    // Container tools hand over an unset variable as an empty one.
    const content = env[name] || (whole ? kept?.(name) : undefined);
    if (!content) {
      problems.push(
        isSecret
          ? `this gateway has no stored secret called ${name}; write the secret itself`
          : `the environment variable ${name} is not set; set it, or write "$\${" for a plain "\${"`,
      );
      return match;
    }
    taken.push(content);
    return content;
  });
  if (isSecret && taken.length > 0 && !whole)
    problems.push("a stored secret must be the whole value, with nothing before or after it");
  return { text, reference: whole?.[1] ?? null, taken, problems };
}

/** Text that expandReferences() gives back as it is. */
export function escapeReferences(text: string): string {
  // A function, because "$$" in a replacement text means one "$".
  return text.replaceAll("${", () => "$${");
}
