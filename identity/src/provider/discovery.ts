import type { Context } from 'oidc-provider';

/** How the client proves itself at every endpoint that asks for it. */
const clientAuthMethods = ['client_secret_basic'] as const;

/** What the provider's own document leaves out; the rest of it follows from the provider's configuration. */
export const advertised = {
  clientAuthMethods,
  document: (signUp: 'open' | 'closed') => ({
    introspection_endpoint_auth_methods_supported: clientAuthMethods,
    revocation_endpoint_auth_methods_supported: clientAuthMethods,
    prompt_values_supported: ['none', 'login', 'consent', ...(signUp === 'open' ? ['create'] : [])],
  }),
};

/** Claims that the provider knows and never hands out: a session's id is for sign-outs of a kind that is not served. */
const hiddenClaims = new Set(['sid']);

/**
 * Corrects what the provider writes into its discovery document (OpenID Connect Discovery 1.0 §3) whatever its
 * configuration is: a client that reads it should find nothing there that is refused.
 */
export async function correctDiscovery(context: Context, next: () => Promise<void>): Promise<void> {
  await next();
  if (context.oidc?.route !== 'discovery' || context.status !== 200) return;
  const document = context.body as Record<string, unknown> & { claims_supported: string[] };
  context.body = {
    ...document,
    // provider.ts refuses the others: their answers need a page with script, or a client with script.
    response_modes_supported: ['query'],
    claims_supported: document.claims_supported.filter((claim) => !hiddenClaims.has(claim)),
  };
}
