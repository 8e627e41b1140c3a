// oidc-provider brings no types of its own; these are the parts that the studio uses.
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

  export default class Provider extends EventEmitter {
    constructor(issuer: string, configuration: Record<string, unknown>);
    readonly issuer: string;
    proxy: boolean;
    Client: { find(id: string): Promise<Client | undefined> };
    Grant: new (properties: { accountId: string; clientId: string }) => Grant;
    RefreshToken: new (properties: Record<string, unknown>) => Token;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  }

  export const errors: {
    InvalidGrant: new (detail: string) => Error;
  };
}
