"""Our signatures beside those that the clouds' own SDKs make of the same requests.

  tools/venv.sh sdks; build/venv/sdks/bin/python tests/real/sign_peers_test.py build/release/sign_peer
"""
import base64
import datetime
import hashlib
import hmac
import json
import random
import subprocess
import sys
import unittest
import urllib.parse
from unittest import mock

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import botocore.eventstream
import google.auth.crypt
import google.auth.jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from huaweicloudsdkcore.sdk_request import SdkRequest
from huaweicloudsdkcore.signer.signer import Signer
from tencentcloud.common.abstract_client import AbstractClient
from tencentcloud.common.credential import Credential
from tencentcloud.common.http.request import RequestInternal

SIGN_PEER = sys.argv.pop(1)
ROUNDS = 200
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"


def ours(requests):
    done = subprocess.run([SIGN_PEER], input=json.dumps(requests), capture_output=True, text=True, check=True)
    answers = json.loads(done.stdout)
    assert len(answers) == len(requests), done.stderr
    return answers


class Made:
    """A random request; the seed is the test's name, so that a failure comes again."""

    def __init__(self, rng, paths=True):
        words = ["v1", "a b", "中文", "x:y", "a+b", "100%", "~.-_", "model.id-v1:0", "(q)", "e=f&g"]
        pick = lambda most: [rng.choice(words) for _ in range(rng.randint(0, most))]
        self.path = "/" + "/".join(urllib.parse.quote(word, safe="") for word in pick(4)) if paths else "/"
        self.parameters = sorted((name, rng.choice(words)) for name in set(pick(3)))
        self.query = "&".join(f"{urllib.parse.quote(k, safe='')}={urllib.parse.quote(v, safe='')}"
                              for k, v in self.parameters)
        self.target = self.path + ("?" + self.query if self.query else "")
        self.body = json.dumps({"prompt": " ".join(pick(20))}).encode()
        self.at = rng.randint(1_500_000_000, 2_500_000_000)
        self.token = rng.choice(["", "TOKEN/+="])

    def time(self):
        return datetime.datetime.fromtimestamp(self.at, datetime.timezone.utc)

    def asked(self, scheme, fields, **more):
        return {"scheme": scheme, "method": "POST", "target": self.target, "fields": fields, "at": self.at,
                "body": base64.b64encode(self.body).decode(), "id": "AKIDEXAMPLE", "secret": SECRET,
                "token": self.token, **more}


def made(name, **options):
    rng = random.Random(name)
    return [Made(rng, **options) for _ in range(ROUNDS)]


class SameAs(unittest.TestCase):
    maxDiff = None

    def check(self, requests, expected):
        for one, fields, right in zip(requests, ours(requests), expected):
            with self.subTest(one["target"]):
                self.assertEqual(dict(fields), right)

    def test_botocore(self):
        requests, expected = [], []
        host = "bedrock-runtime.us-west-2.amazonaws.com"
        for one in made("aws"):
            requests.append(one.asked("aws", [["Host", host], ["Content-Type", "application/json"]],
                                      region="us-west-2", service="bedrock"))
            expected.append(botocore_fields(one, host))
        self.check(requests, expected)

    def test_tencentcloud(self):
        requests, expected = [], []
        for one in made("tencent", paths=False):
            one.target, one.token = "/", ""
            fields = [["Host", "tione.tencentcloudapi.com"], ["Content-Type", "application/json"]]
            requests.append(one.asked("tencent", fields, service="tione"))
            expected.append(tencent_fields(one, dict(fields)))
        self.check(requests, expected)

    def test_huaweicloud(self):
        requests, expected = [], []
        for one in made("huawei"):
            fields = [["Host", "x.apig.cn-north-4.huaweicloudapis.com"], ["Content-Type", "application/json"],
                      ["left_out", "v"]]
            requests.append(one.asked("huawei", fields))
            expected.append(huawei_fields(one, dict(fields)))
        self.check(requests, expected)

    def test_eas_prediction(self):
        # Its SDK cannot be had beside newer protobufs: the expression is that of predict_client.py, 0.36.
        requests, expected = [], []
        for one in made("eas"):
            requests.append(one.asked("eas", [["Content-Type", "application/json"]]))
            md5 = hashlib.md5(one.body).hexdigest()
            date = one.time().strftime("%a, %d %b %Y %H:%M:%S GMT")
            signed = f"POST\n{md5}\napplication/json\n{date}\n{one.path}"
            mac = base64.b64encode(hmac.new(SECRET.encode(), signed.encode(), hashlib.sha1).digest()).decode()
            expected.append({"Content-MD5": md5, "Date": date, "Authorization": "EAS " + mac})
        self.check(requests, expected)

    def test_google_auth_takes_our_token(self):
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                serialization.NoEncryption()).decode()
        public = key.public_key().public_bytes(serialization.Encoding.PEM,
                                               serialization.PublicFormat.SubjectPublicKeyInfo)
        account = {"type": "service_account", "client_email": "a@b", "private_key": pem, "private_key_id": "k",
                   "token_uri": "https://oauth2.googleapis.com/token"}
        now = int(datetime.datetime.now().timestamp())
        [body] = ours([{"scheme": "google", "key": account, "at": now}])
        form = dict(urllib.parse.parse_qsl(body, strict_parsing=True))
        self.assertEqual(form["grant_type"], "urn:ietf:params:oauth:grant-type:jwt-bearer")
        claims = google.auth.jwt.decode(form["assertion"], certs={"k": public},
                                        audience="https://oauth2.googleapis.com/token")
        self.assertEqual((claims["iss"], claims["exp"] - claims["iat"]), ("a@b", 3600))
        # RS256 gives one signature: the SDK's own token of the same claims is the same text.
        signer = google.auth.crypt.RSASigner.from_string(pem, "k")
        head = google.auth.jwt.decode_header(form["assertion"])
        signed = form["assertion"].rpartition(".")
        self.assertEqual(base64.urlsafe_b64encode(signer.sign(signed[0])).decode().rstrip("="), signed[2])
        self.assertEqual(head, {"alg": "RS256", "typ": "JWT", "kid": "k"})

    def test_botocore_reads_our_event_streams(self):
        rng = random.Random("event stream")
        messages = [{"scheme": "event stream",
                     "headers": {":message-type": "event", ":event-type": "PayloadPart", "x" * rng.randint(1, 255):
                                 "y" * rng.randint(0, 32767)},
                     "payload": base64.b64encode(rng.randbytes(rng.randint(0, 5000))).decode()} for _ in range(50)]
        stream = botocore.eventstream.EventStreamBuffer()
        for encoded in ours(messages):
            stream.add_data(base64.b64decode(encoded))
        read = list(stream)
        self.assertEqual([(event.headers, event.payload) for event in read],
                         [(m["headers"], base64.b64decode(m["payload"])) for m in messages])


def botocore_fields(one, host):
    keys = botocore.credentials.Credentials("AKIDEXAMPLE", SECRET, one.token or None)
    request = botocore.awsrequest.AWSRequest("POST", f"https://{host}{one.target}", data=one.body,
                                             headers={"Content-Type": "application/json"})
    auth = botocore.auth.SigV4Auth(keys, "bedrock", "us-west-2")
    with mock.patch("botocore.auth.get_current_datetime", return_value=one.time().replace(tzinfo=None)):
        auth.add_auth(request)
    names = ["X-Amz-Date", "Authorization"] + (["X-Amz-Security-Token"] if one.token else [])
    return {name: request.headers[name] for name in names}


def tencent_fields(one, fields):
    client = AbstractClient.__new__(AbstractClient)
    request = RequestInternal(fields["Host"], "POST", "/")
    request.header.update({**fields, "X-TC-Timestamp": str(one.at)})
    request.data = one.body.decode()
    date = one.time().strftime("%Y-%m-%d")
    signature = client._get_tc3_signature({}, request, date, "tione", SECRET)
    credential = Credential("AKIDEXAMPLE", SECRET)
    return {"X-TC-Timestamp": str(one.at),
            "Authorization": f"TC3-HMAC-SHA256 Credential={credential.secret_id}/{date}/tione/tc3_request, "
                             f"SignedHeaders=content-type;host, Signature={signature}"}


def huawei_fields(one, fields):
    time = one.time().strftime("%Y%m%dT%H%M%SZ")
    added = {"X-Sdk-Date": time, **({"X-Security-Token": one.token} if one.token else {})}
    request = SdkRequest("POST", "https", fields["Host"], one.path, one.path, one.parameters,
                         {**fields, **added}, one.body)
    keys = mock.Mock(ak="AKIDEXAMPLE", sk=SECRET)
    signed = Signer(keys).sign(request)
    return {**added, "Authorization": signed.header_params["Authorization"]}


if __name__ == "__main__":
    unittest.main()
