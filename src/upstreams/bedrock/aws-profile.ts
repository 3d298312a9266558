import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { AccessFailure, type Environment } from "../access/access.ts";
import type { AwsKeys } from "./aws-signature.ts";

export interface ProfileRole {
  readonly [field: string]: string;
  readonly role_arn: string;
}

/** Result of a profile: keys, and the roles that are assumed with them one after the other. */
export interface ProfileKeys {
  readonly keys: AwsKeys;
  readonly roles: readonly ProfileRole[];
}

/** A profile names the next one; nobody has longer chains. */
const MAX_CHAIN = 5;

/** Reads AWS's shared files. https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html */
export async function profileKeys(environment: Environment, asked: string | undefined): Promise<ProfileKeys> {
  const folder = join(environment["HOME"] ?? homedir(), ".aws");
  const files = await Promise.all([
    textOf(environment["AWS_CONFIG_FILE"] ?? join(folder, "config")),
    textOf(environment["AWS_SHARED_CREDENTIALS_FILE"] ?? join(folder, "credentials")),
  ]);
  const profiles = new Map<string, Map<string, string>>();
  for (const text of files) readInto(profiles, text);
  let name = asked ?? environment["AWS_PROFILE"] ?? "default";
  const roles: ProfileRole[] = [];
  for (let length = 0; length < MAX_CHAIN; length += 1) {
    const profile = profiles.get(name);
    if (profile === undefined)
      throw unusable(
        `AWS's files have no profile named ${name}`,
        "Check profile, AWS_PROFILE and the files' place.",
      );
    const role = profile.get("role_arn");
    const next = profile.get("source_profile");
    if (role !== undefined)
      roles.unshift({
        role_arn: role,
        ...optional("external_id", profile.get("external_id")),
        ...optional("session_name", profile.get("role_session_name")),
      });
    const id = profile.get("aws_access_key_id");
    const secret = profile.get("aws_secret_access_key");
    if (
      id !== undefined &&
      secret !== undefined &&
      (role === undefined || next === undefined || next === name)
    )
      return {
        keys: {
          accessKeyId: id,
          secretAccessKey: secret,
          sessionToken: profile.get("aws_session_token") ?? null,
        },
        roles,
      };
    if (next === undefined)
      throw unusable(
        `the profile ${name} holds no keys`,
        "Write aws_access_key_id and aws_secret_access_key, or role_arn with source_profile.",
      );
    name = next;
  }
  throw unusable(`the profile ${name} names too many others`, "Check source_profile.");
}

function optional(name: string, value: string | undefined): Readonly<Record<string, string>> {
  return value === undefined ? {} : { [name]: value };
}

function unusable(message: string, advice: string): AccessFailure {
  return new AccessFailure(message, { advice, isRefusal: true });
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return "";
  }
}

function readInto(profiles: Map<string, Map<string, string>>, text: string): void {
  let fields: Map<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, section] = /^\s*\[\s*(?:profile\s+)?([^\]]+?)\s*\]/.exec(line) ?? [];
    if (section !== undefined) {
      fields = profiles.get(section) ?? new Map();
      profiles.set(section, fields);
      continue;
    }
    const [, name, value] = /^([A-Za-z][\w.-]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields?.set(name.toLowerCase(), value);
  }
}
