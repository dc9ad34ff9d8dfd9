// watchdog.js: makes the directory of servers, stops them and removes it when this process
// ends, however it ends.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");
const path = require("node:path");
const { userEnvironment } = require("./programs.js");

// A shell of the servers' user that makes the directory, prints its name, and reads from a pipe whose other end only this process has. When the pipe is
// closed, by stop() or because the process is gone, it kills the programs that are still
// running: the pipe has told their numbers, of which each leads its own group. Servers (S)
// are asked to end at once (SIGQUIT), and killed if they have not after ten seconds. A
// server that it was not told about ends by itself when its directory is gone.
const SCRIPT = `
trap '' HUP INT QUIT TERM
place=$(cd "$1" && pwd -P) && directory=$(mktemp -d "$place/dynamo-local-XXXXXX") || exit
printf '%s\\n' "$directory"
exec >/dev/null 2>&1
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
until rm -rf "$directory" 2>/dev/null || [ "$turn" -eq 50 ]; do
	turn=$((turn + 1))
	sleep 0.1
done
`;

class Watchdog {
  constructor(user) {
    // the name of a socket must not be longer than 103 bytes; directories of sockets are a list with commas, and initdb takes no line feed
    const above = Buffer.byteLength(os.tmpdir()) > 70 || /[,\r\n]/.test(os.tmpdir()) ? "/tmp" : os.tmpdir();
    let output = "";
    let errors = "";

    this.child = spawn("/bin/sh", ["-c", SCRIPT, "dynamo-local", path.resolve(above)], {
      ...user, cwd: "/", env: userEnvironment(user), detached: true, stdio: ["pipe", "pipe", "pipe"],
    });
    this.child.stdout.setEncoding("utf8").on("data", (text) => { output += text; });
    this.child.stderr.setEncoding("utf8").on("data", (text) => { errors += text; });
    this.directory = new Promise((resolve, reject) => {
      this.child.stdout.on("end", () => output.endsWith("\n") && resolve(output.slice(0, -1)));
      this.child.on("close", () => reject(new Error(`dynamo-local: no directory can be made in ${above}:\n${errors}`)));
      this.child.on("error", reject);
    });
    // until then, the process waits for it
    this.directory.then(() => {
      this.child.unref();
      this.child.stdin.unref();
    }, () => {});
    this.gone = new Promise((resolve) => {
      this.child.on("exit", resolve);
      this.child.on("error", resolve);
    });
    this.child.stdin.on("error", () => {});    // somebody has killed it
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
