import fastify from 'fastify';

/** G1's baseline. */
const app = fastify();
app.post('/json/1.3/registerDevice', (request, reply) => {
  const { request: body } = request.body as { request: { hwid?: string } };
  if (!body.hwid) throw new Error('hwid is missing');
  return reply.send({ status_code: 200, status_message: 'OK', response: null });
});
const url = await app.listen({ port: 0, host: '127.0.0.1' });
console.log(JSON.stringify({ ready: { url } }));
