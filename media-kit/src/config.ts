import { startEnvironment } from '@renderkit/server-kit/process/programs.ts';

const handedOn = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot'];

/** Returns the path of the operator's own ffmpeg, if `FFMPEG_PATH` names one. `ffmpeg.ts` decides which ffmpeg runs. */
export function ffmpegPath(): string | undefined {
  return process.env['FFMPEG_PATH']?.trim() || undefined;
}

/**
 * Returns the environment of a process that handles untrusted bytes: what it needs to run, without the studio's
 * secrets.
 */
export function mediaEnvironment(): NodeJS.ProcessEnv {
  const own = handedOn.flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  return { ...Object.fromEntries(own), ...startEnvironment() };
}
