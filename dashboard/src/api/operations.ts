import type { paths } from "../../generated/api.d.ts";

/**
 * An operation of the console by the address that a page writes, below /api: `/accounts/${account}/keys`. What is not in the
 * gateway's description has none.
 */
type OperationOf<Path extends string, Method extends string> = OfMethod<KnownAs<Path>, Method>;

type OfMethod<Known extends keyof paths, Method extends string> = Known extends keyof paths
  ? Method extends keyof paths[Known]
    ? NonNullable<paths[Known][Method]>
    : never
  : never;

/** The path as the description has it. Not found by assignability alone, as `/accounts/${string}` fits all that begin so. */
type KnownAs<Path extends string> = Path extends string
  ? { [Known in keyof paths]: IsSame<Path, Written<Known>> extends true ? Known : never }[keyof paths]
  : never;

/** `/api/accounts/{account}/keys` as pages write it. */
type Written<Known extends string> = Known extends `/api${infer Rest}` ? Filled<Rest> : never;

type Filled<Path extends string> = Path extends `${infer Before}{${string}}${infer After}`
  ? `${Before}${string}${Filled<After>}`
  : Path;

type IsSame<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;

/** Asks the compiler to refuse an address, or a method of it, that the console does not have. */
export type Offered<Path extends string, Method extends string> = [Unknown<Path, Method>] extends [never]
  ? unknown
  : "the console has no such operation";

type Unknown<Path extends string, Method extends string> = Path extends string
  ? [OperationOf<Path, Method>] extends [never]
    ? Path
    : never
  : never;

type Content<Told> = Told extends { content: infer Types } ? Types[keyof Types] : never;

/** The successful response. */
export type ResponseOf<Path extends string, Method extends string> =
  OperationOf<Path, Method> extends { responses: infer Responses }
    ? Content<Responses[keyof Responses]>
    : never;

/** A row of what it answers, where that is a list. */
export type RowOf<Path extends string> =
  ResponseOf<Path, "get"> extends { data: readonly (infer Row)[] } ? Row : never;

/** The names of its query. What stands in a URL anybody may have typed, so that the gateway judges the values. */
export type QueryOf<Path extends string, Method extends string = "get"> = Values<OperationOf<Path, Method>>;

type Values<Operation> = Operation extends { parameters: { query?: infer Query } }
  ? { readonly [Name in keyof NonNullable<Query>]?: string | number | boolean | undefined }
  : never;

/** Its body: required, or none. */
export type BodyOf<Path extends string, Method extends string> =
  OperationOf<Path, Method> extends { requestBody: { content: { "application/json": infer Body } } }
    ? Given<Body>
    : Readonly<Record<string, never>> | undefined;

/** Fields of the value undefined are not written, so undefined may stand for a field that is left out. */
type Given<Value> = Value extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : Value extends object
    ? {
        readonly [Name in keyof Value]:
          | Given<Value[Name]>
          | (IsOptional<Value, Name> extends true ? undefined : never);
      }
    : Value;

type IsOptional<Value, Name extends keyof Value> =
  Record<string, never> extends Pick<Value, Name> ? true : false;
