// The image's HEALTHCHECK: exit code 0 when the part that runs in this container lives. One part runs in a container, so whichever port
// answers is its own. Plain JavaScript, so that it starts in a moment.

const timeoutMs = 4_000;
const { HOST = '', PORT, STUDIO_PORT, WORKER_PORT } = process.env;
const unspecified = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '::': '[::1]' };
const host = unspecified[HOST] ?? (HOST.includes(':') ? `[${HOST}]` : HOST);

const asked = [PORT, STUDIO_PORT, WORKER_PORT]
  .filter((port) => port !== undefined && port !== '')
  .map(async (port) => {
    const answer = await fetch(`http://${host}:${port}/healthz`, { signal: AbortSignal.timeout(timeoutMs) });
    if (!answer.ok) throw new Error(`port ${port} answers ${answer.status}`);
  });
try {
  await Promise.any(asked);
} catch (error) {
  const reasons = error.errors?.map(({ message, cause }) => cause?.message ?? message) ?? [error.message];
  process.stderr.write(`No part answers: ${reasons.join('; ')}.\n`);
  process.exitCode = 1;
}
