// A part that cannot run.

process.stderr.write('the moon is in the wrong quarter\n');
process.exitCode = 3;
process.disconnect?.();
