declare global {
  // Where react-remove-scroll, which modals stand on, looks for it.
  var __webpack_nonce__: string | undefined;
}

/** The nonce that the service wrote into this page: styles made in the browser carry it. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
}

export function tellNonce(): void {
  globalThis.__webpack_nonce__ = styleNonce();
}
