# wheels.sh fills in the version and the checksum of the sources on the Python Package Index.
class Cardbench < Formula
  include Language::Python::Virtualenv

  desc "Measures SD cards and flash drives, and tells what they really are"
  homepage "https://flashdb.example"
  url "https://files.pythonhosted.org/packages/source/c/cardbench/cardbench-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "BSD-3-Clause"

  depends_on "python@3.14"

  def install
    virtualenv_install_with_resources
    man1.install_symlink libexec/"share/man/man1/cardbench.1"
    generate_completions_from_executable(bin/"cardbench", "completion", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match "per second", shell_output("#{bin}/cardbench demo")
  end
end
