"""A server under test: started, its `listening URL` line awaited, ended with the test."""
import select
import subprocess
import urllib.request

# A proxy of the machine must not see requests to 127.0.0.1.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Served:
    def __init__(self, command, environment=None):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        readable, _, _ = select.select([self.process.stdout], [], [], 60)
        line = self.process.stdout.readline() if readable else ""
        if not line.startswith(("listening http://", "listening https://")):
            self.stop()
            raise RuntimeError(f"{command}: said {line!r} instead of `listening http://...`")
        self.url = line.split()[1]

    def get(self, path):
        with DIRECT.open(self.url + path, timeout=30) as answer:
            return answer.read().decode()

    def stop(self):
        """The exit code, 'killed' where it did not end by itself."""
        self.process.terminate()
        try:
            return self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return "killed"
        finally:
            self.process.stdout.close()
