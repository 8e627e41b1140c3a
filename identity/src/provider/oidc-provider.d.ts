// oidc-provider has no types; these are the parts that the studio uses.
declare module 'oidc-provider' {
  import type { EventEmitter } from 'node:events';
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export type AdapterPayload = Record<string, unknown>;

  export interface Adapter {
    upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void>;
    find(id: string): Promise<AdapterPayload | undefined>;
    findByUid(uid: string): Promise<AdapterPayload | undefined>;
    findByUserCode(userCode: string): Promise<AdapterPayload | undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }

  export interface Grant {
    jti: string;
    addOIDCScope(scope: string): void;
    save(ttlSeconds?: number): Promise<string>;
  }

  export interface Token {
    save(): Promise<string>;
  }

  export interface Client {
    clientId: string;
  }

  export interface Session {
    jti: string;
    uid: string;
    accountId?: string;
    acr?: string;
    /** Seconds since 1970; `undefined` before the session was saved. */
    exp?: number;
    state?: { secret: string };
    /** The next save uses another id, and removes what was stored under this one. */
    resetIdentifier(): void;
    loginAccount(login: Login): void;
    persist(): Promise<void>;
    destroy(): Promise<void>;
  }

  /** What a person has to decide about an authorization request, and what they have decided so far. */
  export interface Interaction {
    uid: string;
    returnTo: string;
    prompt: { name: string; reasons: string[]; details: Record<string, unknown> };
    params: Record<string, string | undefined>;
    session?: { accountId: string; uid: string };
    /** The last decision, if the browser has not continued with it. */
    result?: InteractionResult;
    persist(): Promise<void>;
  }

  export type Login = { accountId: string; amr: string[]; acr: string };

  /** The decision for each prompt, by its name. */
  export type InteractionResult =
    | { create?: object; login?: Login; consent?: { grantId: string } }
    | { error: string; error_description?: string };

  /** Koa's context, as far as it is used here. */
  export interface Context {
    query: Record<string, string | string[] | undefined>;
    status: number;
    body: unknown;
    req: IncomingMessage;
    request: object;
    accepts(...types: string[]): string | false;
    set(headers: Record<string, string>): void;
    redirect(url: string): void;
    cookies: { secure?: boolean; set(name: string, value: string | null, options: object): void };
    /** Absent where the address is not one of the provider's routes. */
    oidc: {
      route: string;
      params: Record<string, string | undefined>;
      result?: { consent?: { grantId: string } };
      session: Session;
      account?: { passwordVersion: number };
      client?: Client;
      entities: {
        Account?: { email: string | null };
        IdTokenHint?: { payload: { sub: string } };
      };
      urlFor(route: string): string;
    };
  }

  export default class Provider extends EventEmitter {
    constructor(issuer: string, configuration: Record<string, unknown>);
    readonly issuer: string;
    Client: { find(id: string): Promise<Client | undefined> };
    Grant: new (properties: { accountId: string; clientId: string }) => Grant;
    RefreshToken: new (properties: Record<string, unknown>) => Token;
    Session: { get(context: Context): Promise<Session> };
    createContext(request: IncomingMessage, response: ServerResponse): Context;
    cookieName(type: 'session' | 'interaction' | 'resume'): string;
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): this;
    /** @throws an error named `SessionNotFound` where the browser has no valid interaction */
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    /** Stores the decision, and returns the address where the browser continues. */
    interactionResult(
      request: IncomingMessage,
      response: ServerResponse,
      result: InteractionResult,
    ): Promise<string>;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  }

  export interface Prompt {
    checks: { add(check: Check): void };
  }
  export interface Check {
    reason: string;
  }

  export const interactionPolicy: {
    base(): Prompt[] & { get(name: 'login' | 'consent'): Prompt; add(prompt: Prompt, at: number): void };
    Prompt: new (prompt: { name: string; requestable: boolean }) => Prompt;
    Check: new (
      reason: string,
      description: string,
      error: string,
      check: (context: Context) => boolean,
    ) => Check;
  };

  export const errors: {
    InvalidGrant: new (detail: string) => Error;
  };
}
