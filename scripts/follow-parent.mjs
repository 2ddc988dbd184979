// Loaded into a child process before its own code (node --import): when the process that started it
// is killed, the channel between them closes, and the child ends as if it had been told to.
process.on('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(1), 15_000).unref();
});
// Listening keeps a process alive that has nothing left to do. Next's own workers inherit this file
// and do wait for messages, so only what we started ourselves lets go.
if (process.ppid === Number(process.env.INTERLOCK_PARENT)) process.channel?.unref();
