import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { FastifyInstance } from 'fastify';
import { accountPageRoutes } from './account-pages/routes.ts';
import type { IdentityStore } from './identity-store.ts';
import { createPasswordChecks } from './passwords/hash-limiter.ts';
import { admitBegin } from './passwords/throttle.ts';
import { type Client, createProvider, issuerPath, type ProviderSecrets } from './provider/provider.ts';
import { providerRoutes } from './provider/routes.ts';
import { signInPageRoutes } from './sign-in/routes.ts';

export type IdentityOptions = {
  store: IdentityStore;
  secrets: ProviderSecrets;
  /** The studio's address for browsers, without a slash at the end. */
  publicUrl: string;
  client: Client;
  /** Whether anybody may create an account. */
  signUp: 'open' | 'closed';
  log: Logger;
};

/** Registers the OpenID provider, the sign-in pages and the account pages. Returns the issuer. */
export function registerIdentity(app: FastifyInstance, options: IdentityOptions): { issuer: string } {
  const { store, publicUrl } = options;
  const issuer = publicUrl + issuerPath;
  const provider = createProvider({ ...options, issuer });
  providerRoutes(app, { ...options, provider, admitBegin: (address) => admitBegin(store, address) });
  const pages = { ...options, provider, passwords: createPasswordChecks() };
  signInPageRoutes(app, pages);
  accountPageRoutes(app, pages);
  return { issuer };
}
