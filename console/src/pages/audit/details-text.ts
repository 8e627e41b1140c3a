/** `daily budget: 500 · canceled: 3`. */
export function detailsText(details: Record<string, string>): string {
  return Object.entries(details)
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${value}`)
    .join(' · ');
}
