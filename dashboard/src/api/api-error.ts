/** A refusal or failure of the gateway: its own words and the request's id. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The field at fault, "" where there is none. */
  readonly param: string;
  /** "" where no response came. */
  readonly requestId: string;
  /** When to come back, of `Retry-After`. */
  readonly waitSeconds: number | undefined;

  constructor(message: string, about: AboutError) {
    super(message);
    this.status = about.status;
    this.code = about.code;
    this.param = about.param;
    this.requestId = about.requestId;
    this.waitSeconds = about.waitSeconds;
  }
}

type AboutError = Pick<ApiError, "status" | "code" | "param" | "requestId"> &
  Partial<Pick<ApiError, "waitSeconds">>;

/** True if a write was refused because somebody else had changed the value that it would have replaced. */
export function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof ApiError && error.code === "changed_meanwhile";
}

/** The error of the field of that name, to show beside it; undefined if the fault is elsewhere. */
export function faultOf(error: unknown, param: string): ApiError | undefined {
  return error instanceof ApiError && error.param === param ? error : undefined;
}

/** Reads the gateway's error body; a response of something in between has none. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const error = (body as { error?: { message?: string; code?: string; param?: string } } | undefined)?.error;
  const wait = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new ApiError(withoutId(error?.message ?? `HTTP ${response.status}`), {
    status: response.status,
    code: error?.code ?? "",
    param: error?.param ?? "",
    requestId: response.headers.get("x-request-id") ?? "",
    ...(Number.isFinite(wait) ? { waitSeconds: wait } : {}),
  });
}

/** Nobody answered, or what answered went away in the midst of it. */
export function unreachable(): ApiError {
  const about = { status: 0, code: "unreachable", param: "", requestId: "" };
  return new ApiError("Can't reach the gateway.", about);
}

/** A sentence of the gateway without the id at its end, which pages show by itself. */
export function withoutId(message: string): string {
  return message.replace(/ \(request id: [^)]*\)$/, "");
}
