import { startEnvironment } from '@renderkit/server-kit/process/programs.ts';

const handedOn = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot'];

/** The operator's own ffmpeg, where `FFMPEG_PATH` names one. */
export function ffmpegPath(): string | undefined {
  return process.env['FFMPEG_PATH']?.trim() || undefined;
}

/** What a process that handles foreign bytes sees of the environment: how to run, and none of the studio's secrets. */
export function mediaEnvironment(): NodeJS.ProcessEnv {
  const own = handedOn.flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  return { ...Object.fromEntries(own), ...startEnvironment() };
}
