// watchdog.js: stops servers and removes their directory when this process ends,
// however it ends.
"use strict";

const { spawn } = require("node:child_process");

// A shell that reads from a pipe whose other end only this process has. When the pipe is
// closed, by stop() or because the process is gone, it kills the programs that are still
// running: the pipe has told their numbers, of which each leads its own group. Servers (S)
// are asked to end at once (SIGQUIT), and killed if they have not after ten seconds. A
// server that it was not told about ends by itself when its directory is gone.
const SCRIPT = `
trap '' HUP INT QUIT TERM
running=
while read -r kind pid; do
	case $kind in
		S | T) running="$running $kind$pid" ;;
		E) running=$(for p in $running; do case $p in ?"$pid") ;; *) printf ' %s' "$p" ;; esac; done) ;;
	esac
done
for p in $running; do
	case $p in
		S*) kill -QUIT "\${p#S}" ;;
		T*) kill -KILL "-\${p#T}" ;;
	esac
done 2>/dev/null
turn=0
for p in $running; do
	while kill -0 "\${p#?}" 2>/dev/null; do
		turn=$((turn + 1))
		[ "$turn" -ne 200 ] || kill -KILL "\${p#?}" 2>/dev/null
		[ "$turn" -lt 400 ] || break
		sleep 0.05
	done
done
turn=0
until rm -rf "$1" 2>/dev/null || [ "$turn" -eq 50 ]; do
	turn=$((turn + 1))
	sleep 0.1
done
`;

class Watchdog {
  constructor(directory, user) {
    this.child = spawn("/bin/sh", ["-c", SCRIPT, "dynamo-local", directory], {
      ...user, cwd: "/", detached: true, stdio: ["pipe", "ignore", "ignore"],
    });
    this.gone = new Promise((resolve) => {
      this.child.on("exit", resolve);
      this.child.on("error", resolve);
    });
    this.child.stdin.on("error", () => {});    // somebody has killed it
    this.child.unref();
    this.child.stdin.unref();
  }

  // Tells it about a program: "S" for a server, "T" for another one.
  watch(kind, child) {
    if (child.pid !== undefined) {
      this.child.stdin.write(`${kind} ${child.pid}\n`);
      child.on("exit", () => this.child.stdin.write(`E ${child.pid}\n`));
    }
  }

  // Lets it do its work now.
  async end() {
    this.child.ref();
    this.child.stdin.end();
    await this.gone;
  }
}

module.exports = { Watchdog };
