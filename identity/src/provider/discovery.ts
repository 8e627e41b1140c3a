import type { Context } from 'oidc-provider';

/** How the client authenticates at every endpoint that requires it. */
const clientAuthMethods = ['client_secret_basic'] as const;

/** What the provider's own document leaves out; the rest comes from the provider's configuration. */
export const advertised = {
  clientAuthMethods,
  document: (signUp: 'open' | 'closed') => ({
    introspection_endpoint_auth_methods_supported: clientAuthMethods,
    revocation_endpoint_auth_methods_supported: clientAuthMethods,
    prompt_values_supported: ['none', 'login', 'consent', ...(signUp === 'open' ? ['create'] : [])],
  }),
};

/**
 * Claims that the provider supports but never returns: a session's id is for a kind of sign-out that is not supported
 * here.
 */
const hiddenClaims = new Set(['sid']);

/**
 * Corrects values that the provider always writes into its discovery document (OpenID Connect Discovery 1.0 §3),
 * whatever its configuration is. A client must not find features there that are refused.
 */
export async function correctDiscovery(context: Context, next: () => Promise<void>): Promise<void> {
  await next();
  if (context.oidc?.route !== 'discovery' || context.status !== 200) return;
  const document = context.body as Record<string, unknown> & { claims_supported: string[] };
  context.body = {
    ...document,
    // provider.ts refuses the other modes: their answers need script in a page or in the client.
    response_modes_supported: ['query'],
    claims_supported: document.claims_supported.filter((claim) => !hiddenClaims.has(claim)),
  };
}
