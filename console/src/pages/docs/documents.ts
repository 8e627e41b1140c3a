/** The documents of the service, in the order of their tabs. */
export const documents = [
  { id: 'api', name: 'API reference', title: 'API reference', path: '/docs' },
  { id: 'errors', name: 'Errors', title: 'Errors', path: '/docs/errors' },
  { id: 'webhooks', name: 'Webhooks', title: 'Receiving webhooks', path: '/docs/webhooks' },
  { id: 'sandbox', name: 'Sandbox', title: 'The sandbox', path: '/docs/sandbox' },
] as const;

/** The document of an address; of one that names none, the first. */
export function documentOf(id: string | undefined): (typeof documents)[number] {
  return documents.find((one) => one.id === id) ?? documents[0];
}

export function documentAt(path: string): (typeof documents)[number] | undefined {
  return documents.find((one) => one.path === path);
}
