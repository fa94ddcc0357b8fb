"""What a check of `wakeful doctor` has found."""

from dataclasses import dataclass
from enum import StrEnum


class CheckState(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class CheckResult:
    name: str
    state: CheckState
    # Details if all is well, else what to do.
    message: str

    @classmethod
    def ok(cls, name: str, message: str) -> "CheckResult":
        return cls(name, CheckState.OK, message)

    @classmethod
    def warn(cls, name: str, message: str) -> "CheckResult":
        return cls(name, CheckState.WARN, message)

    @classmethod
    def fail(cls, name: str, message: str) -> "CheckResult":
        return cls(name, CheckState.FAIL, message)

    @property
    def line(self) -> str:
        match self.state:
            case CheckState.OK:
                return f"{self.name}: ok ({self.message})"
            case CheckState.WARN:
                return f"{self.name}: warning: {self.message}"
            case CheckState.FAIL:
                return f"{self.name}: failed: {self.message}"
