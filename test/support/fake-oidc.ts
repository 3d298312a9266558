import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The provider's claims about the next user who signs in. */
export interface OidcClaims {
  readonly sub: string;
  readonly email?: string;
  /** A boolean by the standard. */
  readonly email_verified?: unknown;
  readonly name?: string;
  /** Further claims, such as groups. */
  readonly [claim: string]: unknown;
}

export interface FakeOidc {
  readonly issuer: string;
  /**
   * Does what a browser does there: follows the URL it was sent to, signs in as `claims`, and returns the query string
   * with which it is sent back. `lie` falsifies the token.
   */
  visit(url: string, claims: OidcClaims, lie?: Partial<Record<"nonce" | "aud" | "iss", string>>): string;
  /** Sets the user who is signed in there from now on: browsers that come to its page are sent back at once. */
  know(claims: OidcClaims): void;
  close(): Promise<void>;
}

export const CLIENT_ID = "faregate";
export const CLIENT_SECRET = "canary-oidc-UGFsaXNhZGU3Qw9";

/** A small identity provider: discovery, keys, codes with PKCE, tokens signed with RS256. */
export async function startFakeOidc(): Promise<FakeOidc> {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const codes = new Map<string, { claims: object; challenge: string; redirectUri: string }>();
  let known: OidcClaims | undefined;
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (request.url === "/.well-known/openid-configuration") {
      return send(200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      });
    }
    const url = new URL(request.url ?? "", issuer);
    if (url.pathname === "/authorize" && known !== undefined) {
      const back = `${url.searchParams.get("redirect_uri")}?${visit(url.href, known)}`;
      return void response.writeHead(302, { location: back }).end();
    }
    if (request.url === "/keys")
      return send(200, {
        keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" }],
      });
    if (request.url !== "/token") return send(404, {});
    let body = "";
    for await (const chunk of request) body += chunk;
    const form = new URLSearchParams(body);
    const issued = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const right =
      issued !== undefined &&
      issued.challenge === challenge &&
      issued.redirectUri === form.get("redirect_uri") &&
      form.get("client_id") === CLIENT_ID &&
      form.get("client_secret") === CLIENT_SECRET;
    if (!right) return send(400, { error: "invalid_grant" });
    send(200, { access_token: "unused", token_type: "Bearer", id_token: tokenOf(issued.claims) });
  };

  const tokenOf = (claims: object): string => {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const signed = `${part({ alg: "RS256", kid: "1" })}.${part(claims)}`;
    return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
  };

  const visit: FakeOidc["visit"] = (url, claims, lie = {}) => {
    const asked = new URL(url).searchParams;
    const code = randomUUID();
    const now = Math.floor(Date.now() / 1_000);
    codes.set(code, {
      claims: {
        iss: issuer,
        aud: CLIENT_ID,
        iat: now,
        exp: now + 300,
        nonce: asked.get("nonce"),
        ...claims,
        ...lie,
      },
      challenge: asked.get("code_challenge") ?? "",
      redirectUri: asked.get("redirect_uri") ?? "",
    });
    return new URLSearchParams({ code, state: asked.get("state") ?? "" }).toString();
  };

  return {
    issuer,
    visit,
    know: (claims) => {
      known = claims;
    },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
