export async function all<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<unknown>,
  progress: (done: number, total: number) => void = () => undefined,
): Promise<void> {
  let next = 0;
  let done = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      await work(items[next++]!);
      if (++done % 100 === 0 || done === items.length) progress(done, items.length);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}
