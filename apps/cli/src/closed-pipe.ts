/** As in `tidings tap … | head -3`. Other errors of the stream are thrown. */
export function endWithReader(output: NodeJS.WritableStream, exit = (code: number): void => process.exit(code)): void {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    exit(0);
  });
}
