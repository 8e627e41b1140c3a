import { referencesOf } from '@renderkit/contract/studio/references.ts';
import { requestBodyOf } from '../generations/reads/request-body.ts';
import type { MadeWith } from '../generations/reads/rows.ts';

/** Fields of a body that the recipe contains under other names, or that the recipient of the file should not see. */
const leftOut = new Set(['prompt', 'model', 'project_id', 'metadata', 'nsfw_check']);

/**
 * Returns how an output was made, as an XMP packet. The prompt is the description, which any program shows; everything
 * else is JSON. The packet leaves out the account's own metadata and the references, since an address may be a secret.
 * `server-kit/src/files/embed-xmp.ts` writes the packet into the file.
 */
export function recipeOf({ kind, model, request, provenance }: MadeWith, outputId: string): string {
  const body = requestBodyOf(kind, { ...request, uploads: null }, '{}');
  const references = new Set(referencesOf(body).map(({ field }) => field.replace(/\[\d+\]$/, '')));
  const { options, ...settings } = Object.fromEntries(
    Object.entries(body).filter(([name]) => !leftOut.has(name) && !references.has(name)),
  );
  const made = provenance.find(({ id }) => id === outputId);
  const prompt = typeof body['prompt'] === 'string' ? body['prompt'] : '';
  const recipe = {
    kind,
    prompt,
    model,
    model_version: made?.model_version ?? null,
    seed: made?.seed ?? null,
    settings,
    options: options ?? {},
  };
  return packetOf(prompt, JSON.stringify(recipe));
}

function packetOf(description: string, recipe: string): string {
  return `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
 <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:renderkit="urn:renderkit:recipe">
   <dc:description><rdf:Alt><rdf:li xml:lang="x-default">${escaped(description)}</rdf:li></rdf:Alt></dc:description>
   <xmp:CreatorTool>Renderkit</xmp:CreatorTool>
   <renderkit:recipe>${escaped(recipe)}</renderkit:recipe>
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>`;
}

/** Escapes a text for XML 1.0, which cannot contain most control characters. */
function escaped(text: string): string {
  return (
    text
      .toWellFormed()
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, ' ')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
  );
}
