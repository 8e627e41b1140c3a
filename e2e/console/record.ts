// Records a person who types a prompt, gets a picture and makes a video of it, with the previews of both: `node
// e2e/console/record.ts <file.webp>`. Each frame of the browser is shown as long as it really was; only long pauses are
// shortened.

import { writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { untilSettled } from './page-views.ts';
import { openConsoleWorld, signIn } from './world.ts';

const size = { width: 1_280, height: 800 };
const prompt = 'A lighthouse above a calm sea at dusk';
const motion = 'The light goes round, clouds drift';
/** Made before the recording, so that the account looks used. */
const earlier = [
  'Mountains in the first light of day',
  'A small town in the snow, warm windows',
  'A field of poppies under a wide sky',
  'An island in fog',
];
const keyMs = 70;
/** Frames that are nearer than this become one: ten per second are enough. */
const minMs = 90;
const maxMs = 900;
const restMs = 2_500;
/** How much of the video is played. */
const videoMs = 4_000;
/** The README is also read over slow connections. */
const maxBytes = 3_000_000;
const madeTimeoutMs = 180_000;

type Frame = { png: Buffer; at: number };

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('Where should the recording go? node e2e/console/record.ts <file.webp>');
  process.exitCode = 2;
} else {
  const recorded = await record();
  const webp = await animate(recorded);
  if (webp.length > maxBytes) throw new Error(`The recording has ${webp.length} bytes, of ${maxBytes}.`);
  await writeFile(file, webp);
}

async function record(): Promise<Frame[]> {
  await using world = await openConsoleWorld({ ownPostgres: true, workers: 1 });
  const { page } = await world.visitor({
    viewport: size,
    colorScheme: 'light',
    reducedMotion: 'no-preference',
  });
  await signIn(world, page, await world.person({ email: 'mara@harbour.example' }), '/console/playground');
  for (const words of earlier) await make(page, words);
  await page.getByRole('radio', { name: '16:9' }).check({ force: true });
  await page.goto(`${world.url}/console/playground`);
  const field = page.getByLabel('Prompt', { exact: true });
  await field.fill('');
  await untilSettled(page);
  const frames = await watchFrames(page);
  await page.waitForTimeout(restMs / 3);
  await field.pressSequentially(prompt, { delay: keyMs });
  await page.waitForTimeout(restMs / 5);
  await run(page);
  await page.waitForTimeout(restMs / 2);
  await page.getByRole('button', { name: 'Animate', exact: true }).first().click();
  // A pointer that rests on an element would show its tooltip.
  await page.mouse.move(0, 0);
  await page
    .getByRole('radio', { name: 'Video' })
    .and(page.locator(':checked'))
    .waitFor({ state: 'attached' });
  await untilSettled(page);
  await field.fill('');
  await field.pressSequentially(motion, { delay: keyMs });
  await page.waitForTimeout(restMs / 5);
  await run(page);
  await page.evaluate(`document.querySelector('[aria-label="Result"] video').play()`);
  await page.waitForTimeout(videoMs);
  return await frames();
}

async function make(page: Page, words: string): Promise<void> {
  await page.getByLabel('Prompt', { exact: true }).fill(words);
  await run(page);
}

/** Runs the form, and waits for the result. */
async function run(page: Page): Promise<void> {
  const last = page.url();
  await page.keyboard.press('Control+Enter');
  await page.waitForURL((url) => url.href !== last);
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByText('Succeeded').waitFor({ timeout: madeTimeoutMs });
  await untilSettled(page);
}

/** Collects every frame that the browser draws. The returned function stops and returns them. */
async function watchFrames(page: Page): Promise<() => Promise<Frame[]>> {
  const frames: Frame[] = [];
  const session = await page.context().newCDPSession(page);
  session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
    frames.push({ png: Buffer.from(data, 'base64'), at: (metadata.timestamp ?? 0) * 1_000 });
    // Nobody confirms a frame that arrives while the browser closes.
    session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
  });
  await session.send('Page.startScreencast', {
    format: 'png',
    maxWidth: size.width,
    maxHeight: size.height,
  });
  return async () => {
    await session.send('Page.stopScreencast');
    return frames;
  };
}

/** Makes one animated picture; each frame is shown until the next one. */
async function animate(frames: readonly Frame[]): Promise<Buffer> {
  const kept: Frame[] = [];
  for (const frame of frames) {
    const before = kept.at(-1);
    if (before !== undefined && frame.at - before.at < minMs)
      kept[kept.length - 1] = { ...frame, at: before.at };
    else kept.push(frame);
  }
  const delay = kept.map(({ at }, index) => {
    const next = kept[index + 1];
    return next === undefined ? restMs : Math.round(Math.min(maxMs, next.at - at));
  });
  console.log(`${kept.length} frames, ${delay.reduce((sum, ms) => sum + ms, 0)} ms`);
  return sharp(
    kept.map(({ png }) => png),
    { join: { animated: true } },
  )
    .webp({ delay, loop: 0, quality: 92, effort: 4, mixed: true })
    .toBuffer();
}
